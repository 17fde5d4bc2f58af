"""Measures how long messages of a heavy and of a light class take. dccvp's tool `weight-delay`: runs the cases of
configs/differentiation/messages.study.yml under both laws of the controller with several weights of the heavy
class, and prints median and 99th percentile of the completion times by class and size.

Each case has messages of the heavy class (DSCP 46) beside a class of weight 1 (DSCP 10): long flows without an end,
WebSearch flows, or the other half of an incast. Classes are compared by size: up to 3 KB, 30 KB, 300 KB, and beyond.
"""

import argparse
import pathlib
import sys

import yaml

from dccvp import program
from dccvp.common.columns import rows_of
from dccvp.common.statistics import confidence, mean, percentile, with_interval
from dccvp.common.text_table import text_table
from dccvp.experiments import study_plan

STUDY = pathlib.Path(__file__).resolve().parents[3] / "configs/differentiation/messages.study.yml"
HEAVY, LIGHT = 46, 10
SIZES = (3_000, 30_000, 300_000)  # Greatest message of each size but the last, in bytes.
NAMES = ("to 3 KB", "to 30 KB", "to 300 KB", "beyond")
LAWS: dict = {
    "proportional": {"policy": "proportional"},
    "proportional, all hold": {"policy": "proportional", "hold_below": "none"},
    "patent": {"policy": "dcqcn", "preset": "sig15", "timer_restart": False},
}
COLUMNS = ("case", "law", "weights", "size", "messages", "heavy p50", "heavy p99", "light p50", "light p99", "use %")


def platform_of(case, law, weight, seed):
    """Returns the platform of a case of the study with another law and another weight of the heavy class."""
    platform = study_plan.read(STUDY, str(seed), [case], ["weight 8"]).runs[0].platform
    recovery = platform["nic"].get("recovery", {})
    platform["nic"] = {"recovery": recovery, "congestion_control": {"algorithm": "dcc", **LAWS[law]}}
    platform["dscp"] = {LIGHT: {"weight": 1}, HEAVY: {"weight": weight}}
    platform.pop("expect", None)
    return platform


def size_of(size):
    return next((i for i, most in enumerate(SIZES) if size <= most), len(SIZES))


def times_us(flows_csv):
    """Returns {(DSCP, size): completion times of the finished messages in us}."""
    found = {}
    for row in rows_of(flows_csv):
        if row["fct_s"]:
            found.setdefault((int(row["dscp"]), size_of(int(row["bytes"]))), []).append(float(row["fct_s"]) * 1e6)
    return found


def run(platform):
    """Returns (completion times by class and size, use of the receiver's port in %), or the program's message if
    the run failed."""
    with program.results_of(yaml.safe_dump(platform)) as (metrics, folder):
        if isinstance(metrics, str):
            return metrics
        to_receiver = [link["utilisation"] for link in metrics["links"] if link["name"].endswith("->h0")]
        return times_us(folder / "flows.csv"), 100 * max(to_receiver, default=0)


def table_rows(case, law, weight, seeds):
    """Returns a row for each size for which the heavy class has messages; percentiles are means over the seeds,
    from two seeds on with half the width of the 95 % interval of the mean."""
    found = [run(platform_of(case, law, weight, seed)) for seed in seeds]
    for one in found:
        if isinstance(one, str):
            return [[case, law, f"1:{weight}", "-", one[:60]] + ["-"] * 5]
    rows = []
    for size, name in enumerate(NAMES):
        if not all((HEAVY, size) in times for times, _ in found):
            continue
        figures = [case, law, f"1:{weight}", name, str(sum(len(times[HEAVY, size]) for times, _ in found))]
        for dscp in (HEAVY, LIGHT):
            of = [times[dscp, size] for times, _ in found if (dscp, size) in times]
            for part in (50, 99):
                by_seed = [percentile(one, part) for one in of]
                figures.append(with_interval(mean(by_seed), confidence(by_seed), digits=4) if of else "-")
        rows.append(figures + [f"{mean([use for _, use in found]):.0f}"])
    return rows


def main(arguments):
    parser = argparse.ArgumentParser(prog="weight-delay", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--case", action="append", help="a case of the study, may be repeated (default: all)")
    parser.add_argument("--law", action="append", choices=sorted(LAWS), help="may be repeated (default: all)")
    parser.add_argument("--weights", default="1,4,8", help="weights of the heavy class (default 1,4,8)")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds, from 1 on (default 3)")
    chosen = parser.parse_args(arguments)
    cases = chosen.case or list(study_plan.read(STUDY).cases)
    rows = []
    for case in cases:
        for law in chosen.law or LAWS:
            for weight in (int(one) for one in chosen.weights.split(",")):
                rows += table_rows(case, law, weight, range(1, chosen.seeds + 1))
    sys.stdout.write(text_table([list(COLUMNS), *rows]))
    return 1 if any(row[3] == "-" for row in rows) else 0
