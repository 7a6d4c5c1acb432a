"""Draw the learning curves of training runs: games won against decisions learned from and against minutes.

A run is named by its folder; LABEL=FOLDER gives it a name, and runs of the same name, which differ in their seeds, are
drawn as their mean and range; FOLDER+FOLDER is a run that went on from the best policy of the one before.

python scripts/curves.py runs/eck runs/eck_hour --out docs/curves.png
python scripts/curves.py PPO=runs/eck_1 PPO=runs/eck_2 PPO=runs/eck_3 both=runs/eck+runs/eck_improve --out curves.png
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.ppo import NEEDED

try:
    import typer

    from agents.ppo.curves import by_label, curves_markdown, read_curve
    from eck_env.files import write_bytes, write_text
except ModuleNotFoundError as error:
    sys.exit(f"error: {error}: {NEEDED}")

app = typer.Typer(add_completion=False)


@app.command()
def main(
    runs: Annotated[list[str], typer.Argument(help="FOLDER, FOLDER+FOLDER, LABEL=FOLDER.")],
    out: Annotated[Path, typer.Option(help="The picture to write, PNG.")] = Path("curves.png"),
    title: Annotated[str, typer.Option(help="A title of the picture.")] = "",
    markdown: Annotated[Path | None, typer.Option(help="Write a table of where the curves end to this file.")] = None,
) -> None:
    """Draw the learning curves of training runs."""
    try:
        groups = by_label([read_curve(run) for run in runs])
        from agents.charts import to_png
        from agents.ppo.learning_charts import curves_chart

        write_bytes(out, to_png(curves_chart(groups, title)))
        if markdown is not None:
            write_text(markdown, curves_markdown(groups))
    except ImportError as error:
        typer.echo(f'error: {error}: pictures need the extra "report" (pip install -e ".[report]")', err=True)
        raise typer.Exit(2) from error
    except (ValueError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(curves_markdown(groups), nl=False)
    typer.echo(out)


if __name__ == "__main__":
    app()
