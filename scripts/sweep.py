"""Search for good hyperparameters by many short runs; hopeless ones are cut short.

python scripts/sweep.py configs/sweep.yaml
python scripts/sweep.py configs/sweep.yaml --resume
python scripts/train.py runs/sweep/best.yaml
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.ppo import NEEDED

try:
    import typer
except ModuleNotFoundError as error:
    sys.exit(f"error: {error}: {NEEDED}")

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""

app = typer.Typer(add_completion=False)


@app.command()
def main(
    config: Annotated[Path, typer.Argument(help="The YAML file of the sweep; agents/ppo/sweep.py explains the keys.")],
    folder: Annotated[Path | None, typer.Option(help="Where it is kept; by default runs/ and CONFIG's name.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the sweep in the folder.")] = False,
) -> None:
    """Search for good hyperparameters."""
    path = folder or Path("runs") / config.stem
    try:
        import matplotlib  # noqa: F401  (for the picture, before hours of work rather than after)

        from agents.ppo.sweep import Sweep, load_sweep, sweep_markdown

        sweep = Sweep(load_sweep(config), path, resume, lambda line: typer.echo(line, err=True))
        outcomes = sweep.run()
    except ImportError as error:
        _fail(f'{error}: a sweep needs the extras "train" and "report": pip install -e ".[train,report]"')
    except (ValueError, OSError) as error:
        _fail(error)
    except KeyboardInterrupt:
        arguments = [argument for argument in sys.argv if argument != "--resume"]
        typer.echo(f"stopped; go on by: {shlex.join(['python', *arguments, '--resume'])}", err=True)
        raise typer.Exit(STOPPED) from None
    typer.echo(sweep_markdown(outcomes), nl=False)
    typer.echo(f"best:    {sweep.best}" if sweep.best.exists() else "no trial was run to its end")


def _fail(error: object) -> NoReturn:
    typer.echo(f"error: {error}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
