"""Draws NAME.png of a comparison (experiments/reproduce_plan.py): for each scheme its needs of switches and hosts, its
figures, and completion times by size."""

import json
import pathlib

from dccvp.common import pictures
from dccvp.common.pictures import plt
from dccvp.common.statistics import mean
import yaml

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "docs/sources.yaml"
TEXTS = (("signal", 0.0), ("driver", 0.235), ("switch", 0.42), ("host", 0.735))
HEADINGS = {"signal": "signal", "driver": "driven by", "switch": "asks of switches", "host": "asks of hosts"}


def survey_table():
    """Returns {name: properties} of the schemes in the survey's tables."""
    lines = yaml.safe_load(SOURCES.read_text(encoding="utf-8"))["schemes"]
    return {line["name"]: line for line in lines}


def measured(records, experiment):
    """Returns {(run, figure): (mean, least, greatest)} of the figures that have values."""
    return {(r["run"], r["figure"]): (mean(r["ours"]), min(r["ours"]), max(r["ours"]))
            for r in records if r["experiment"] == experiment.name and r["ours"]}


def colours_of(rows):
    families = list(dict.fromkeys(row.family for row in rows))
    return {family: pictures.COLOURS[i % len(pictures.COLOURS)] for i, family in enumerate(families)}


def write_texts(axes, rows, table):
    axes.axis("off")
    axes.set_xlim(0, 1)
    for key, x in TEXTS:
        axes.text(x, -1.0, HEADINGS[key], fontsize=7, weight="bold", color=pictures.INK)
    for y, row in enumerate(rows):
        line = table.get(row.survey, {})
        order = f"by {line['priority']}" if line.get("priority") else ""
        said = {"signal": line.get("signal") or order, "driver": line.get("driver", ""),
                "switch": row.switch, "host": row.host}
        for key, x in TEXTS:
            axes.text(x, y, said[key] or "–", fontsize=6, va="center", color=pictures.INK)


def short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def draw_panel(axes, comparison, column, panel, values, colours):
    axes.set_title(panel.name, fontsize=6.5, color=pictures.INK, pad=3)
    of_rows = [(y, row, values.get((f"{row.name}, {column.name}", panel.name)))
               for y, row in enumerate(comparison.rows)]
    there = [value[0] for _, _, value in of_rows if value]
    if panel.panel == "log" and there:
        axes.set_xscale("log")
    floor = min((v for v in there if v > 0), default=1) / 2
    for y, row, value in of_rows:
        if not value:
            continue
        shown = [max(v, floor) if panel.panel == "log" else v for v in value]
        colour = colours[row.family]
        axes.plot(shown[1:], [y, y], color=colour, linewidth=1.5)
        axes.plot(shown[0], y, "o", color=colour, markersize=3.5, clip_on=False,
                  markerfacecolor=colour if value[0] == shown[0] else "white")
        axes.annotate(short(value[0]), (1.07, y), xycoords=("axes fraction", "data"), fontsize=5.5,
                      va="center", color=pictures.INK)
    axes.tick_params(labelleft=False, left=False)
    axes.minorticks_off()
    pictures.plain(axes, 5.5, "x", ("top", "right", "left"))


def bins_of(folder, run):
    """Returns the slowdown by size of the first seed of a run; empty for a run that failed."""
    file = folder / f"run{run}-seed1" / "metrics.json"
    try:
        return json.loads(file.read_text(encoding="utf-8"))["slowdown"]["bins"]
    except (OSError, ValueError, KeyError):
        return []  # The run failed, so there is nothing to draw.


def draw_sizes(axes, comparison, family, column_number, folder):
    """Draws the 99th percentile of the slowdown by size for the schemes of a family."""
    styles = ("-", "--", ":", "-.")
    mine = [(i, row) for i, row in enumerate(comparison.rows) if row.family == family]
    for number, (index, row) in enumerate(mine):
        bins = [b for b in bins_of(folder, index * len(comparison.columns) + column_number)
                if b["flows"] >= 20]
        sizes = [b["up_to_bytes"] or 2 * b["above_bytes"] for b in bins]
        axes.plot(sizes, [b["p99"] for b in bins], styles[number // 8 % len(styles)],
                  color=pictures.COLOURS[number % len(pictures.COLOURS)], linewidth=1, marker=".",
                  markersize=3, label=row.name)
    if axes.dataLim.height > 0:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_title(family, fontsize=7, color=pictures.INK, pad=3)
    pictures.plain(axes, 6)
    axes.set_xlabel("flows of up to, bytes", fontsize=6)
    axes.legend(fontsize=5.5, frameon=False, ncols=2, loc="upper right", columnspacing=1, handlelength=1.5)


def draw_table(page, grid, experiment, values, colours):
    comparison = experiment.comparison
    panels = [(column, panel) for column in comparison.columns for panel in column.panels]
    widths = [0.9, 7.0] + [1] * len(panels)
    cells = grid.subgridspec(1, len(widths), width_ratios=widths, wspace=0.6)
    names = page.add_subplot(cells[0])
    names.axis("off")
    for y, row in enumerate(comparison.rows):
        names.text(1, y, row.name, fontsize=7, ha="right", va="center", color=colours[row.family],
                   weight="bold")
    texts = page.add_subplot(cells[1])
    write_texts(texts, comparison.rows, survey_table())
    drawn = [page.add_subplot(cells[2 + i]) for i in range(len(panels))]
    for axes, (column, panel) in zip(drawn, panels):
        draw_panel(axes, comparison, column, panel, values, colours)
    for axes in [names, texts, *drawn]:
        axes.set_ylim(len(comparison.rows) - 0.4, -1.2)
    for column in comparison.columns:
        mine = [axes for axes, (of, _) in zip(drawn, panels) if of is column]
        if mine:
            left, right = mine[0].get_position().x0, mine[-1].get_position().x1
            top = mine[0].get_position().y1
            page.text((left + right) / 2, top + 0.028, column.name, fontsize=8, ha="center",
                      weight="bold", color=pictures.INK)


def draw(folder, experiment):
    """Draws a comparison. `folder`: a path with reproduction.json and the folders of the runs."""
    records = json.loads((folder / "reproduction.json").read_text(encoding="utf-8"))
    values = measured(records, experiment)
    comparison = experiment.comparison
    colours = colours_of(comparison.rows)
    panels = sum(len(column.panels) for column in comparison.columns)
    page = plt.figure(figsize=(6.4 + 0.8 * panels, 3.4 + 0.24 * len(comparison.rows)))
    outer = page.add_gridspec(2, 1, height_ratios=[0.24 * len(comparison.rows) + 0.4, 2.1], hspace=0.22,
                              left=0.035, right=0.972, top=0.9, bottom=0.07)
    draw_table(page, outer[0], experiment, values, colours)
    widest = max(range(len(comparison.columns)), key=lambda c: len(bins_of(folder / experiment.name, c)))
    cells = outer[1].subgridspec(1, len(colours), wspace=0.12)
    axes = None
    for number, family in enumerate(colours):
        axes = page.add_subplot(cells[number], sharey=axes)
        draw_sizes(axes, comparison, family, widest, folder / experiment.name)
        if number == 0:
            axes.set_ylabel(f"p99 slowdown, {comparison.columns[widest].name}", fontsize=6)
        if number == len(colours) - 1:
            low, high = axes.get_ylim()
            # the larger upper limit leaves room for the legend
            axes.set_ylim(low, high * 4 if axes.get_yscale() == "log" else high)
    page.suptitle(experiment.title, fontsize=10, y=0.985, color=pictures.INK)
    pictures.save_experiment(page, folder / f"{experiment.name}.png", dpi=160)
