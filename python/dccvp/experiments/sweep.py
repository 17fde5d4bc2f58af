"""Runs a sweep: one platform at many points of its parameters (docs/sweeps.md).

  tool.py sweep DCCVP SWEEP.yaml [-j N] [--out DIR] [-c key=value]… [--snakemake DIR]
  tool.py sweep --point DIR ID      runs one point of a prepared folder
  tool.py sweep --collect DIR       writes the tables and pictures of the points that are done

Exit status: 0 every point is ok and keeps the limits; 1 some points failed or miss a limit (they are listed, the other
points are done); 2 unusable input, before anything was written.
"""

import dataclasses
import importlib
import itertools
import json
import pathlib
import shlex
import sys

from dccvp import cost
from dccvp.common import processes
from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole
from dccvp.common.yaml_nodes import fail
from dccvp.experiments import figures, identity, results, sweep_plan
from dccvp.experiments.folder import INTERRUPTED, OK, REFUSED, Folder, parser_of, pictures  # noqa: F401

MOST_SENTENCES = 5  # Greatest number of sentences printed about settings with equal figures.
WORKFLOW = '''# A job for each point of {name}, and one for the table. Written by dccvp sweep.
#   snakemake -j 8                       here
#   snakemake -j 200 --cluster sbatch    on a cluster whose machines see the same folders
import json

workdir: workflow.basedir

with open(workflow.basedir + "/plan.json") as file:
    IDS = list(dict.fromkeys(point["id"] for point in json.load(file)["points"]))

SWEEP = {sweep}

localrules: table

rule table:
    input: expand("done/{{id}}.json", id=IDS)
    output: "table.csv", "results.sqlite"
    shell: SWEEP + " --collect ."

rule point:
    output: "done/{{id}}.json"
    shell: SWEEP + " --point . {{wildcards.id}}"
'''


def arguments(argv):
    parser = parser_of(__doc__, jobs=2)
    parser.add_argument("dccvp", nargs="?", type=pathlib.Path)
    parser.add_argument("sweep", nargs="?", type=pathlib.Path)
    parser.add_argument("-c", dest="overrides", action="append", default=[])
    parser.add_argument("--snakemake", type=pathlib.Path)
    parser.add_argument("--retry", action="store_true", help="run failed points again")
    parser.add_argument("--point", nargs=2, metavar=("DIR", "ID"))
    parser.add_argument("--collect", metavar="DIR")
    return parser.parse_args(argv)


def document_of(plan, program, extra, units):
    """Returns the content of plan.json for a sweep."""
    folder = plan.path.resolve().parent
    inputs = identity.Inputs(program)
    points = []
    for settings in plan.points:
        words = plan.arguments(settings, extra)
        points.append({"id": inputs.name(plan.platform, words, folder), "arguments": words,
                       "values": {s.key: s.text for s in settings}, "refused": None, "changes": plan.changes(settings)})
    return {"dccvp": str(program), "platform": str(plan.platform.resolve()), "folder": str(folder),
            "name": plan.path.name, "axes": plan.axes, "branch_at": plan.branch_at, "points": points,
            "metrics": {n: m.text for n, m in plan.metrics.items()}, "units": units, "best": plan.best,
            "limits": [dataclasses.asdict(limit) for limit in plan.limits], "heatmaps": plan.heatmaps,
            "pareto": plan.pareto}


def collect(folder, plots=True):
    """Writes the tables and pictures; returns the rows of the points and the rows of their means over the seeds."""
    rows = results.rows_of(folder)
    lines = results.averaged(folder, rows)
    results.write_tables(folder, rows, lines)
    best = results.best_text(folder, lines)
    if best:
        write_whole(folder.path / "best.md", best)
    if plots and (folder.document["heatmaps"] or folder.document["pareto"]):
        pictures(lambda: importlib.import_module("dccvp.experiments.sweep_plots").draw(folder, lines))
    return rows, lines


def report(folder, rows, lines, ended_by_signal):
    """Prints the summary of a sweep; returns the exit status."""
    bad = [row for row in rows if row["status"] != OK]
    for row, point in zip(rows, folder.points):
        if row["status"] == OK:
            continue
        message = ended_by_signal.get(point["id"]) or row["message"]
        settings = " ".join(f"{key}={text}" for key, text in point["values"].items())
        print(f"point {row['point']} {row['status']}: {settings}: {message}", file=sys.stderr)
    empty = results.always_missing(rows, folder.document["metrics"])
    for name, why in empty.items():
        print(f"metric {name}: no point has it: {why}", file=sys.stderr)
    missed = list(results.missed_limits(folder, lines))
    for _, sentence in missed:
        print(sentence, file=sys.stderr)
    for sentence in itertools.islice(results.without_effect(folder, lines), MOST_SENTENCES):
        print(f"note: {sentence}", file=sys.stderr)
    best = folder.path / "best.md"
    if best.exists():
        print(best.read_text(), end="")
    print(f"{len(rows) - len(bad)} of {len(rows)} points ok. Table: {folder.path}/table.csv")
    return 1 if bad or empty or not all(explained for explained, _ in missed) else 0


def run_point(path, name):
    """Runs one point for a workflow manager. A failed point does not end the workflow, since the marker records how the
    point ended; the exit status is 1 only for a point that a signal ended."""
    folder = Folder.open(path)
    point = next((p for p in folder.points if p["id"] == name), None)
    if point is None:
        raise InputError(f"'{path}' has no point '{name}'")
    with folder.locked(shared=True):
        if point["refused"]:
            folder.mark(point, REFUSED, point["refused"])
            return 0
        for _, status, message in folder.run([point], 1):
            if status is None:
                print(message, file=sys.stderr)
                return 1
    return 0


def refuse_varied(overrides, axes):
    """Raises InputError if an override would give every point the same value of a parameter that varies."""
    for text in overrides:
        key = text.partition("=")[0].strip()
        for axis in axes:
            if axis == key or axis.startswith(key + "."):
                where = "'seeds'" if axis == "seed" else f"the axis '{axis}'"
                raise InputError(f"-c {text}: '{axis}' varies in this sweep; change {where} in the sweep file")


def write_workflow(folder):
    """Writes the Snakefile beside plan.json, whose executors run the points on one or many machines."""
    tool = shlex.quote(str(pathlib.Path(__file__).resolve().parents[2] / "tool.py"))
    # Snakemake replaces single braces in shell commands, so braces are doubled.
    tool = tool.replace("{", "{{").replace("}", "}}")
    write_whole(folder.path / "Snakefile", WORKFLOW.format(
        name=json.dumps(folder.document["name"]), sweep=json.dumps(f"/usr/bin/python3 -I -B {tool} sweep")))


def blame(text, settings):
    """Returns (the setting that a refusal names, the rest of the message); None for a refusal that names no single
    setting."""
    for setting in settings:
        start = f"-c {setting.argument}: "
        if text.startswith(start):
            return setting, text[len(start):]
    # A sweep with `branch_at` sets the values of a point during the run, by an entry of `changes`. If the program
    # refuses that entry, its message begins with `-c changes.+=` and quotes the key of the setting.
    for setting in settings:
        quoted = f"'{setting.key}'"
        if text.startswith("-c changes.+=") and quoted in text:
            return setting, setting.key + text.partition(quoted)[2]
    return None, text


def refusals(plan, program, extra, jobs, known=frozenset()):
    """Returns {index: message} of the points that `dccvp check` refuses. InputError for a value that is refused in
    every point, and for a file without an accepted point. `known`: indices of points that were accepted before."""
    due = [i for i in range(len(plan.points)) if i not in known]
    commands = [[program, "check", str(plan.platform.resolve()),
                 *(f"-c{argument}" for argument in plan.arguments(plan.points[i], extra))] for i in due]
    refused = {}
    for job, code, said in processes.run_all(commands, jobs, cwd=plan.path.resolve().parent):
        if code == 0:
            continue
        if code != 2:
            raise InputError(f"{plan.path}: dccvp check ended with {code}: {said}")
        refused[due[job]] = said.removeprefix("dccvp: ")
    for i in sorted(refused):
        setting, message = blame(refused[i], plan.common + plan.points[i])
        if setting is None:
            continue
        alike = [j for j, p in enumerate(plan.points)
                 if setting in plan.common or any(s.argument == setting.argument for s in p)]
        if all(j in refused for j in alike):
            about_key = message.startswith(("unknown key", "an empty key")) or "so no index" in message
            if not message.startswith(setting.key):
                message = f"{setting.key}: {message}"
            fail(setting.key_node if about_key else setting.value_node, message)
    if len(refused) == len(plan.points):
        fail(plan.platform_node, "no point can be run; the first: " + refused[min(refused)])
    return refused


def units_of(plan, program):
    """Returns {metric: unit} according to `dccvp metrics`; InputError for a path that leads to no figure."""
    description = figures.described(figures.metric_rows(program) + cost.metric_rows())
    units = {}
    for name, metric in plan.metrics.items():
        try:
            units[name] = metric.unit(description)
        except figures.Missing as missing:
            fail(metric.node, f"unknown metric '{metric.text}': {missing}")
    return units


def prepared(options):
    """Checks a sweep and returns its folder; writes nothing."""
    plan = sweep_plan.read(options.sweep)
    refuse_varied(options.overrides, plan.axes)
    program = options.dccvp.resolve()
    if not program.is_file():
        raise InputError(f"{options.dccvp}: no such program")
    out = options.snakemake or options.out or pathlib.Path("out") / plan.path.stem
    Folder.refuse_foreign(out)
    folder = Folder(out, document_of(plan, program, options.overrides, units_of(plan, str(program))))
    accepted = {i for i, point in enumerate(folder.points) if (folder.status(point) or {}).get("status") == OK}
    for i, message in refusals(plan, str(program), options.overrides, options.jobs, accepted).items():
        folder.points[i]["refused"] = message
    return folder


def main(argv):
    options = arguments(argv)
    if options.point:
        return run_point(*options.point)
    if options.collect:
        collect(Folder.open(options.collect), not options.no_plots)
        return 0
    if options.sweep is None:
        raise InputError("a program and a sweep file are needed")
    folder = prepared(options)
    with folder.locked():
        folder.save()
        if options.snakemake:
            write_workflow(folder)
            print(f"{len(folder.points)} points. Run them: cd {shlex.quote(str(folder.path))} && snakemake -j 2")
            return 0
        ended_by_signal = folder.complete(options.jobs, "points", options.retry)
        rows, lines = collect(folder, not options.no_plots)
        return report(folder, rows, lines, ended_by_signal)
