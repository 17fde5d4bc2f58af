#!/usr/bin/python3 -IB
"""Fuzzes the reader of studies. Any text must give runs with valid platforms, or an error of one line with its
place."""

import pathlib
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import guided_files  # noqa: E402

from dccvp.experiments import study_plan  # noqa: E402


def check(plan):
    guided_files.require(plan.runs, "no runs")
    guided_files.require(all(case in plan.limits for case in plan.cases), "a case without limits")
    for run in plan.runs[:2]:
        guided_files.passes_as_argument(run.variant + run.case)
        yaml.safe_dump(run.platform).encode("utf-8")


if __name__ == "__main__":
    guided_files.run("fuzz.study.yml", study_plan.read, check)
