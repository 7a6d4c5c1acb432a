"""Train variations of one run and compare them: what each part of the method is worth at equally many decisions.

python scripts/ablation.py configs/ablations/eck.yaml --out runs/ablation --markdown runs/ablation/table.md

An interrupted one goes on by the same command; each row is a training run of its own, in a folder of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.ppo import NEEDED

try:
    import typer

    from agents.ppo.ablation import Ablation, ablation_markdown, load_ablation
    from eck_env.files import write_text
except ModuleNotFoundError as error:
    sys.exit(f"error: {error}: {NEEDED}")

TRAIN = Path(__file__).with_name("train.py")

app = typer.Typer(add_completion=False)


@app.command()
def main(
    ablation: Annotated[Path, typer.Argument(help="The YAML file of the rows; see configs/ablations/eck.yaml.")],
    out: Annotated[Path, typer.Option(help="The folder of the runs.")] = Path("runs/ablation"),
    seeds: Annotated[list[int] | None, typer.Option("--seed", help="Seeds of each row; by default the base's.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the table to this file, too.")] = None,
) -> None:
    """Train the rows that are not complete, and show the table."""
    chosen: list[int | None] = [*seeds] if seeds else [None]
    try:
        rows = load_ablation(ablation)
        for seed in chosen:
            _train(rows, out, seed)
        table = ablation_markdown(rows, out, chosen)
        if markdown is not None:
            write_text(markdown, table)
    except (ValueError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(table, nl=False)


def _train(rows: Ablation, out: Path, seed: int | None) -> None:
    for name in rows.rows:
        folder = rows.folder(out, name, seed)
        if rows.complete(folder):
            continue
        typer.echo(f"{name}: {folder}", err=True)
        settings = [part for value in rows.settings(name) for part in ("--set", value)]
        seeding = [] if seed is None else ["--seed", str(seed)]
        command = [sys.executable, str(TRAIN), rows.base, "--run-dir", str(folder), "--resume"]
        code = subprocess.run([*command, *settings, *seeding], stdout=sys.stderr, check=False).returncode
        if code != 0:
            raise typer.Exit(code)


if __name__ == "__main__":
    app()
