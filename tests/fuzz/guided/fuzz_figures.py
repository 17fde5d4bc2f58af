#!/usr/bin/python3 -IB
"""Fuzzes the reader of an experiment's figures. Any text must give figures that can be judged against the values of
any run, or an error of one line with its place."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import guided_files  # noqa: E402

from dccvp.experiments import figures, reproduce_plan  # noqa: E402

METRICS = {"aggregate": {"drops": 12, "jain": None, "goodput_gbps": 99.5, "done": True},
           "queues": [{"port": "s0->h0", "mean_bytes": 3.0}, {"port": "s0->h1", "mean_bytes": 30.0}], "empty": []}


def check(experiment):
    guided_files.require(experiment.runs, "no runs")
    for run in experiment.runs:
        for override in run.overrides:
            guided_files.passes_as_argument(override)
        for figure in run.figures:
            value = figures.figure_value(METRICS, figure)
            figures.judge(figure, [] if value is None else [value], 1)


if __name__ == "__main__":
    guided_files.run("platform.figures.yml", reproduce_plan.read, check)
