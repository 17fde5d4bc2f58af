"""Draws reproduction.png from a folder's reproduction.json: every figure against its published value."""

import json

from dccvp.common.pictures import plt, save_experiment

COLOURS = {"inside": "#2a7f62", "outside, explained": "#d08c1f", "OUTSIDE": "#b3261e"}


def draw(folder):
    """Draws the picture into a folder, a path that holds reproduction.json."""
    records = json.loads((folder / "reproduction.json").read_text())
    shown = [r for r in records if r["published"] and r["ours"]]
    if not shown:
        return
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.24 * len(shown)))
    for row, record in enumerate(shown):
        ratios = [value / record["published"] for value in record["ours"]]
        mean = sum(ratios) / len(ratios)
        colour = COLOURS.get(record["verdict"], "#666666")
        axes.plot([min(ratios), max(ratios)], [row, row], color=colour, linewidth=2)
        axes.plot(mean, row, "o", color=colour, markersize=5)
    axes.axvline(1.0, color="#999999", linewidth=0.8)
    axes.set_yticks(range(len(shown)))
    axes.set_yticklabels([f"{r['experiment']} {r['run']}: {r['figure']}" for r in shown], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("ours / published")
    for verdict, colour in COLOURS.items():
        axes.plot([], [], "o", color=colour, label=verdict.lower())
    axes.legend(fontsize=7, loc="best")
    axes.grid(axis="x", linewidth=0.3)
    figure.tight_layout()
    save_experiment(figure, folder / "reproduction.png")
