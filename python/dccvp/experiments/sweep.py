"""Runs a sweep: one platform at many points of its parameters. docs/sweeps.md.

  tool.py sweep DCCVP SWEEP.yaml [-j N] [--out DIR] [-c key=value]… [--snakemake DIR]
  tool.py sweep --point DIR ID      runs one point of a prepared folder
  tool.py sweep --collect DIR       makes table and pictures of what is done

Exit status: 0 every point is ok, 1 some failed (they are listed, the others are done), 2 unusable
input, before anything was written.
"""

import argparse
import pathlib
import sys

from dccvp.experiments import sweep_check, sweep_plan, sweep_points, sweep_snakemake, sweep_table
from dccvp.common.ending import InputError
from dccvp.common.progress import Progress
from dccvp.common.whole_file import write_whole

INTERRUPTED = "interrupted; what is done stays, the same command continues"


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("dccvp", nargs="?", type=pathlib.Path)
    parser.add_argument("sweep", nargs="?", type=pathlib.Path)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("-c", dest="overrides", action="append", default=[])
    parser.add_argument("--snakemake", type=pathlib.Path)
    parser.add_argument("--retry", action="store_true", help="run failed points again")
    parser.add_argument("--no-plots", action="store_true")
    parser.add_argument("--point", nargs=2, metavar=("DIR", "ID"))
    parser.add_argument("--collect", metavar="DIR")
    return parser.parse_args(argv)


def collect(folder, plots=True):
    """Writes the tables; returns the rows."""
    rows = sweep_table.rows_of(folder)
    sweep_table.write_csv(folder, rows)
    sweep_table.write_sqlite(folder, rows)
    lines = sweep_table.averaged(folder, rows)
    best = sweep_table.best_text(folder, lines)
    if best:
        write_whole(folder.path / "best.md", best)
    if plots and (folder.document["heatmaps"] or folder.document["pareto"]):
        try:
            from dccvp.experiments import sweep_plots  # matplotlib is needed by nothing else here
            sweep_plots.draw(folder, lines)
        except ImportError as error:
            print(f"Note: no pictures: {error}")
    return rows


def settings_text(point):
    return " ".join(f"{key}={text}" for key, text in point["values"].items())


def report(folder, rows, ended_by_signal):
    """What a user reads at the end; the exit status."""
    bad = [row for row in rows if row["status"] != sweep_points.OK]
    for row, point in zip(rows, folder.points):
        if row["status"] == sweep_points.OK:
            continue
        message = ended_by_signal.get(point["id"]) or row["message"]
        print(f"point {row['point']} {row['status']}: {settings_text(point)}: {message}",
              file=sys.stderr)
    empty = sweep_table.always_missing(rows, folder.document["metrics"])
    for name, why in empty.items():
        print(f"metric {name}: no point has it: {why}", file=sys.stderr)
    best = folder.path / "best.md"
    if best.exists():
        print(best.read_text(), end="")
    print(f"{len(rows) - len(bad)} of {len(rows)} points ok. Table: {folder.path}/table.csv")
    return 1 if bad or empty else 0


def run_point(path, name):
    """For a workflow: the marker tells how it went, so that one failed point does not end it. Only a
    point that was ended by a signal is not done."""
    folder = sweep_points.Folder.open(path)
    point = next((p for p in folder.points if p["id"] == name), None)
    if point is None:
        raise InputError(f"'{path}' has no point '{name}'")
    if point["refused"]:
        folder.mark(point, sweep_points.REFUSED, point["refused"])
        return 0
    for _, status, message in folder.run([point], 1):
        if status is None:
            print(message, file=sys.stderr)
            return 1
    return 0


def prepared(options):
    """The checked sweep in its folder, before which nothing was written."""
    plan = sweep_plan.read(options.sweep)
    program = options.dccvp.resolve()
    if not program.is_file():
        raise InputError(f"{options.dccvp}: no such program")
    out = options.snakemake or options.out or pathlib.Path("out") / plan.path.stem
    sweep_points.Folder.refuse_foreign(out)
    folder = sweep_points.Folder(
        out, sweep_points.document_of(plan, program, options.overrides,
                                      sweep_check.units_of(plan, str(program))))
    accepted = {i for i, point in enumerate(folder.points)
                if (folder.status(point) or {}).get("status") == sweep_points.OK}
    refused = sweep_check.refusals(plan, str(program), options.overrides, options.jobs, accepted)
    for i, message in refused.items():
        folder.points[i]["refused"] = message
    folder.save()
    return folder


def run(options):
    folder = prepared(options)
    if options.snakemake:
        sweep_snakemake.write(folder)
        print(f"{len(folder.points)} points. Run them: cd {folder.path} && snakemake -j 2")
        return 0
    due = {}  # two settings can mean the same run
    for point in folder.points:
        status = folder.status(point)
        failed = status and status["status"] == sweep_points.FAILED
        if status is None or (options.retry and failed):
            due.setdefault(point["id"], point)
    failed, ended_by_signal = 0, {}
    with Progress(sys.stderr, len(due), "points") as progress:
        for done, (point, status, message) in enumerate(folder.run(list(due.values()), options.jobs), 1):
            failed += status != sweep_points.OK
            if status is None:
                ended_by_signal[point["id"]] = message
            progress.show(done, f", {failed} failed")
    return report(folder, collect(folder, not options.no_plots), ended_by_signal)


def main(argv):
    options = arguments(argv)
    if options.point:
        return run_point(*options.point)
    if options.collect:
        collect(sweep_points.Folder.open(options.collect), not options.no_plots)
        return 0
    if options.sweep is None:
        raise InputError("a program and a sweep file are needed")
    return run(options)
