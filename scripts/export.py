"""Export the policy of a checkpoint to ONNX, so that it plays without PyTorch.

A run's own policy.onnx is the policy as the last update left it; best.zip is the checkpoint that won most games in the
evaluations during the training.

python scripts/export.py runs/quick/best.zip --out runs/quick/best.onnx
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.ppo import NEEDED

try:
    import typer

    from agents.agent import POLICY_SUFFIX
    from agents.evaluation import evaluate
    from agents.results import Result
except ModuleNotFoundError as error:
    sys.exit(f"error: {error}: {NEEDED}")

app = typer.Typer(add_completion=False)


@app.command()
def main(
    checkpoint: Annotated[Path, typer.Argument(help="A checkpoint of a run: best.zip or one in checkpoints/.")],
    out: Annotated[Path | None, typer.Option(help="The file to write; by default beside the checkpoint.")] = None,
    games: Annotated[
        int | None,
        typer.Option(min=0, help="Games to evaluate it on; 0: none; by default as the run's configuration says."),
    ] = None,
) -> None:
    """Export the policy of a checkpoint to ONNX; the run's own policy.onnx is the one after its last update."""
    path = out or checkpoint.with_suffix(POLICY_SUFFIX)
    try:
        _check_paths(checkpoint, path)
        from agents.ppo.checkpoints import load_checkpoint
        from agents.ppo.export import ExportError, export_checkpoint, policy_of
        from agents.ppo.model import PolicyAgent

        loaded = load_checkpoint(checkpoint)
        final = loaded.config.final
        results: list[Result] = []
        agent, variant = PolicyAgent(policy_of(loaded)), loaded.config.environment.variant_keywords()
        if games != 0:
            results.append(evaluate(agent, variant, games or final.games, final.first_seed))
    except ImportError as error:
        _fail(f"{error}: {NEEDED}")
    except (ValueError, OSError) as error:
        _fail(error)
    try:
        parity = export_checkpoint(loaded, path, results)
    except ExportError as error:
        _fail(error)
    except OSError as error:
        _fail(f"{error}: make it writable, or room for it, or name another file by --out")
    for result in results:
        low, high = result.interval
        typer.echo(f"win rate {result.win_rate:.1%} ({low:.1%} - {high:.1%}) in {len(result.games):,} games")
    typer.echo(f"{path}: the policy after {loaded.steps:,} steps; {parity}")


def _check_paths(checkpoint: Path, path: Path) -> None:
    """Raise before anything is done if one of the files cannot be what it should be."""
    if not checkpoint.is_file():
        raise FileNotFoundError(
            f"there is no checkpoint {str(checkpoint)!r}: runs store them in checkpoints/ and best.zip"
        )
    if path.suffix != POLICY_SUFFIX:
        raise ValueError(f"--out {str(path)!r} must end in {POLICY_SUFFIX}, by which agents know an exported policy")
    if not path.parent.is_dir():
        raise ValueError(f"--out {str(path)!r}: there is no folder {str(path.parent)!r}; make it first")


def _fail(error: object) -> NoReturn:
    typer.echo(f"error: {error}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
