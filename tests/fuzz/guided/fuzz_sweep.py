#!/usr/bin/python3 -IB
"""Fuzzes the reader of sweeps. Any text must give a plan of valid points, or an error of one line with its place."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import guided_files  # noqa: E402

from dccvp.experiments import sweep_plan  # noqa: E402


def check(plan):
    guided_files.require(0 < len(plan.points) <= sweep_plan.MOST_POINTS, "too many points")
    names = set()
    for settings in plan.points:
        for setting in [*plan.common, *settings]:
            guided_files.passes_as_argument(setting.argument)
        names.add(tuple(sorted(setting.argument for setting in settings)))
    guided_files.require(len(names) == len(plan.points), "a point is there twice")
    guided_files.require(set(plan.best) <= set(plan.metrics), "'best' of no metric")


if __name__ == "__main__":
    guided_files.run("fuzz.yaml", sweep_plan.read, check)
