"""Draws NAME.png of an experiment with `picture` (experiments/reproduce_plan.py): the goodput of every flow over time,
a panel for each run, a colour for each class."""

import math
import textwrap

from dccvp.common import pictures
from dccvp.common.pictures import plt
from dccvp.common.columns import read_columns
from dccvp.common.ending import InputError

STRETCHES = 40  # Number of intervals over which the points of a line are averaged.
MOST_IN_A_ROW = 3


def by_flow(folder):
    """Returns {flow: ([ms], [Gb/s])} of a run; each point is the mean over an interval."""
    columns = read_columns(folder / "series/flow_rates.csv", ("t_s", "flow", "goodput_gbps"), nothing=0.0)
    flows = {}
    for t, flow, rate in zip(columns["t_s"], columns["flow"], columns["goodput_gbps"]):
        flows.setdefault(int(flow), []).append((t * 1e3, rate))
    lines = {}
    for flow, points in flows.items():
        step = max(1, len(points) // STRETCHES)
        parts = [points[i:i + step] for i in range(0, len(points), step)]
        lines[flow] = ([sum(t for t, _ in part) / len(part) for part in parts],
                       [sum(rate for _, rate in part) / len(part) for part in parts])
    return lines


def classes_of(folder):
    """Returns {flow: DSCP} of a run."""
    columns = read_columns(folder / "flows.csv", ("id", "dscp"))
    return {int(flow): int(dscp) for flow, dscp in zip(columns["id"], columns["dscp"])}


def draw_run(axes, folder, name, labels):
    axes.set_title(textwrap.fill(name, 36), fontsize=8, color=pictures.INK)
    try:
        lines, classes = by_flow(folder), classes_of(folder)
    except (OSError, InputError):
        return  # The run failed, so there is nothing to draw.
    colours = {dscp: pictures.COLOURS[i % len(pictures.COLOURS)] for i, dscp in enumerate(labels)}
    for flow, (times, rates) in lines.items():
        axes.plot(times, rates, linewidth=1.1, color=colours.get(classes.get(flow), pictures.PALE))
    axes.set_xlabel("simulated time, ms", fontsize=7)
    pictures.plain(axes, 7)


def draw(folder, experiment):
    """Draws the rates of the first seed of each run; `folder`: a path with the folders of the runs."""
    labels, runs = experiment.picture, experiment.runs
    rows = math.ceil(len(runs) / MOST_IN_A_ROW)
    across = math.ceil(len(runs) / rows)
    figure, grid = plt.subplots(rows, across, figsize=(1 + 2.9 * across, 0.7 + 2.3 * rows), sharey=True,
                                squeeze=False)
    panels = list(grid.flat)
    for number, (axes, run) in enumerate(zip(panels, runs)):
        draw_run(axes, folder / experiment.name / f"run{number}-seed1", run.name, labels)
    for axes in panels[len(runs):]:
        axes.axis("off")
    for first in panels[::across]:
        first.set_ylabel("goodput, Gb/s", fontsize=7)
    panels[0].set_ylim(bottom=0)
    for i, text in enumerate(labels.values()):
        panels[0].plot([], [], color=pictures.COLOURS[i % len(pictures.COLOURS)], label=text)
    figure.suptitle(experiment.title, fontsize=9, color=pictures.INK)
    figure.tight_layout(rect=(0, 0.16 / rows, 1, 1))
    figure.legend(loc="lower center", ncols=len(labels), fontsize=7, frameon=False)
    pictures.save_experiment(figure, folder / f"{experiment.name}.png")
