"""Draws NAME.png of a comparison with the key `lines` (experiments/reproduce_plan.py): a line for each row.

`lines: columns`: the columns are named "GROUP, NUMBER"; a group is a column of panels, a figure with a panel
is a row of panels, and the number is the abscissa. `lines: sizes`: a panel for each column, the 99th
percentile of the completion time by size of flow.
"""

import json

from dccvp.common import pictures
from dccvp.common.pictures import plt
from dccvp.common.statistics import mean

FEWEST = 20  # Least number of flows of a size for a 99th percentile.
STYLES = ("-", "--", ":", "-.")


def groups_of(comparison):
    """Returns {group: [(number, column)]} of columns that are named "GROUP, NUMBER"."""
    groups = {}
    for column in comparison.columns:
        group, _, number = column.name.rpartition(", ")
        groups.setdefault(group, []).append((float(number), column))
    return groups


def line_of(records, row, columns, figure):
    """Returns ([abscissa], [mean over the seeds]) of a figure of a row; a run that failed has no point."""
    points = []
    for number, column in columns:
        values = records.get((f"{row.name}, {column.name}", figure), [])
        if values:
            points.append((number, mean(values)))
    return [x for x, _ in points], [y for _, y in points]


def finish(axes, scale, title, x_label, y_label):
    # matplotlib raises an error for a logarithmic axis without a value
    drawn = any(len(line.get_xdata()) for line in axes.lines)
    if drawn and scale == "log":
        axes.set_yscale("log")
    elif drawn:
        axes.set_ylim(bottom=0)
    axes.set_title(title, fontsize=9, color=pictures.INK)
    axes.set_xlabel(x_label, fontsize=8)
    axes.set_ylabel(y_label, fontsize=8)
    pictures.plain(axes, 7)


def draw_line(axes, number, name, xs, ys):
    """Draws the line of row `number`. Later lines are thinner, so that equal lines can be seen."""
    axes.plot(xs, ys, STYLES[number % len(STYLES)], color=pictures.COLOURS[number % len(pictures.COLOURS)],
              linewidth=3.4 - 0.7 * min(number, 3), marker=".", markersize=4, label=name)


def draw_columns(comparison, records):
    groups = groups_of(comparison)
    names = list(dict.fromkeys(panel.name for column in comparison.columns for panel in column.panels))
    page, grid = plt.subplots(len(names), len(groups), squeeze=False,
                              figsize=(0.8 + 4.2 * len(groups), 0.8 + 2.3 * len(names)))
    for across, (group, columns) in enumerate(groups.items()):
        for down, name in enumerate(names):
            axes = grid[down][across]
            scale = next((p.panel for _, c in columns for p in c.panels if p.name == name), "linear")
            for number, row in enumerate(comparison.rows):
                draw_line(axes, number, row.name, *line_of(records, row, columns, name))
            finish(axes, scale, group if down == 0 else "", "senders" if down == len(names) - 1 else "", name)
    grid[0][0].legend(fontsize=7, frameon=False)
    return page


def percentiles(folder, experiment, run):
    """Returns ([bytes], [p99 in us]) of a run's first seed by size of flow."""
    try:
        text = (folder / experiment.name / f"run{run}-seed1" / "metrics.json").read_text(encoding="utf-8")
        bins = json.loads(text)["fct"]["all"]["by_size"]
    except (OSError, ValueError, KeyError):
        return [], []  # The run failed, so there is nothing to draw.
    there = [b for b in bins if b["completed"] >= FEWEST]
    return [b["up_to_bytes"] or 2 * b["above_bytes"] for b in there], [b["us_p99"] for b in there]


def draw_sizes(comparison, folder, experiment):
    columns = comparison.columns
    page, grid = plt.subplots(1, len(columns), squeeze=False, figsize=(0.8 + 4.6 * len(columns), 4.2))
    for across, column in enumerate(columns):
        axes = grid[0][across]
        for number, row in enumerate(comparison.rows):
            draw_line(axes, number, row.name, *percentiles(folder, experiment, number * len(columns) + across))
        finish(axes, "log", column.name, "flows of up to, bytes", "99th percentile of completion, us")
        axes.set_xscale(axes.get_yscale())
    grid[0][0].legend(fontsize=7, frameon=False)
    return page


def draw(folder, experiment):
    """Draws a comparison as lines. `folder`: a path with reproduction.json and the folders of the runs."""
    entries = json.loads((folder / "reproduction.json").read_text(encoding="utf-8"))
    records = {(r["run"], r["figure"]): r["ours"] for r in entries if r["experiment"] == experiment.name}
    if experiment.lines == "sizes":
        page = draw_sizes(experiment.comparison, folder, experiment)
    else:
        page = draw_columns(experiment.comparison, records)
    page.suptitle(experiment.title, fontsize=10, color=pictures.INK)
    page.tight_layout()
    pictures.save_experiment(page, folder / f"{experiment.name}.png")
