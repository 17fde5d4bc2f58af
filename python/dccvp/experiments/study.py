"""Runs a study (variants x cases x seeds of one platform) and judges it by its limits.

  tool.py study DCCVP STUDY.study.yml [--out DIR] [--seeds 1..20] [--case NAME]…
                [--variant NAME]… [--jobs N] [--again] [--no-plots]

`dccvp study` becomes it. Leaves in DIR (default out/<study>): runs.csv, a line a run; table.csv and
table.md, a line for every case of a variant; PNGs. Runs that runs.csv already holds, from the same
program, are not repeated.
Exit status: 0 all limits hold, 1 one does not or a run failed, 2 unusable input.
"""

import argparse
import csv
import io
import math
import pathlib
import sys

from dccvp.experiments import study_measure, study_plan, study_table
from dccvp.common.ending import InputError
from dccvp.common.progress import Progress
from dccvp.common.whole_file import write_whole

COLUMNS = ("fingerprint", "study", "variant", "case", "seed", *study_measure.FIGURES, "by_weight")
INTERRUPTED = "interrupted; what is done stays, the same command continues"


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("study", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--seeds")
    parser.add_argument("--case", action="append")
    parser.add_argument("--variant", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="repeat runs that are known")
    parser.add_argument("--no-plots", action="store_true")
    return parser.parse_args(argv)


def known_runs(path):
    """Rows of an earlier call by fingerprint; figures as numbers, an empty one as NaN."""
    if not path.exists():
        return {}
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if set(row) != set(COLUMNS) or None in row.values():
                return {}
            for name in study_measure.FIGURES:
                row[name] = float(row[name]) if row[name] else math.nan
            row["seed"] = int(row["seed"])
            row["by_weight"] = {float(w): float(g) for w, g in
                                (pair.split("=") for pair in row["by_weight"].split())}
            rows[row["fingerprint"]] = row
    return rows


def write_runs(path, rows):
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        cells = []
        for name in COLUMNS:
            value = row[name]
            if name == "by_weight":
                value = " ".join(f"{w:g}={g:.7g}" for w, g in value.items())
            elif isinstance(value, float):
                value = "" if math.isnan(value) else f"{value:.7g}"
            cells.append(value)
        writer.writerow(cells)
    write_whole(path, text.getvalue())


def run_all(plan, options, out):
    """Every row of the plan in the plan's order; new ones are run, old ones taken over."""
    program = options.dccvp.read_bytes()
    file = out / "runs.csv"
    known = {} if options.again else known_runs(file)
    names = {study_measure.fingerprint(run, program): run for run in plan.runs}
    due = [run for name, run in names.items() if name not in known]
    name_of = {id(run): name for name, run in names.items()}
    with Progress(sys.stderr, len(due), "runs") as progress:
        for done, (run, row) in enumerate(
                study_measure.measured(due, options.dccvp, plan, options.jobs), 1):
            name = name_of[id(run)]
            known[name] = {"fingerprint": name, "study": plan.name, "variant": run.variant,
                           "case": run.case, "seed": run.seed, **row}
            write_runs(file, list(known.values()))  # a long study may be ended at any time
            progress.show(done)
    # Two variants can mean the same platform; each keeps its own name.
    return [{**known[study_measure.fingerprint(run, program)], "variant": run.variant,
             "case": run.case} for run in plan.runs]


def study(options):
    plan = study_plan.read(options.study, options.seeds, options.case, options.variant)
    if not options.dccvp.is_file():
        raise InputError(f"{options.dccvp}: no such program")
    out = options.out or pathlib.Path("out") / plan.name
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not (out / "runs.csv").exists():
        raise InputError(f"'{out}' holds something else than a study's results")
    out.mkdir(parents=True, exist_ok=True)
    rows = run_all(plan, options, out)
    table = study_table.table(plan, rows)
    study_table.write_csv(out / "table.csv", table)
    text = study_table.markdown(table)
    write_whole(out / "table.md", text)
    print(text, end="")
    if not options.no_plots:
        try:
            from dccvp.experiments import study_plots  # matplotlib is needed by nothing else here
            study_plots.draw(plan, rows, out)
        except ImportError as error:
            print(f"Note: no pictures: {error}")
    return 1 if any(line["missed"] for line in table) else 0


def main(argv):
    options = arguments(argv)
    try:
        return study(options)
    except study_measure.RunError as error:
        print(f"dccvp: {options.study}: {error}", file=sys.stderr)
        return 2 if error.refused else 1
