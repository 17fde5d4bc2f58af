"""Runs a study (variants x cases x seeds of one platform) and judges it by its limits.

  tool.py study DCCVP STUDY.study.yml [--out DIR] [--seeds 1..20] [--case NAME]…
                [--variant NAME]… [--jobs N] [--again] [--no-plots]

`dccvp study` executes this tool. Leaves in DIR (default out/<study>): runs.csv, a line for each run; table.csv and
table.md, a line for every case of a variant; with `slowdowns`
sizes.csv, a line for every size of flow; PNGs. Runs whose figures the folder holds, from the same program, are
not repeated. Exit status: 0 all limits hold, 1 a limit is missed or a run failed, 2 unusable input.
"""

import importlib
import json
import math
import pathlib
import re
import sys

import yaml

from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole
from dccvp.experiments import identity, results, study_measure, study_plan, study_sizes, study_table
from dccvp.experiments.folder import INTERRUPTED, OK, REFUSED, Folder, parser_of, pictures  # noqa: F401

AXES = ("variant", "case", "seed")


def arguments(argv):
    parser = parser_of(__doc__, jobs=1)
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("study", type=pathlib.Path)
    parser.add_argument("--seeds")
    parser.add_argument("--case", action="append")
    parser.add_argument("--variant", action="append")
    parser.add_argument("--again", action="store_true", help="repeat runs that are known")
    return parser.parse_args(argv)


def folder_of(plan, program, out):
    """Returns the folder of the study with a point for each run of the plan; writes nothing."""
    inputs = identity.Inputs(program)
    points = []
    for run in plan.runs:
        # The figures of a run also depend on these settings of the plan, so these settings are part of a run's name.
        measures = json.dumps([plan.messages_of, plan.queue_series, run.motion,
                               *(["slowdowns"] if plan.slowdowns else [])])
        name = inputs.name(run.platform, [], plan.folder, measures)
        points.append({"id": name, "config": str((out / f"platforms/{name}.yaml").resolve()), "arguments": [],
                       "values": dict(zip(AXES, (run.variant, run.case, str(run.seed)))), "refused": None,
                       "changes": ""})
    return Folder(out, {"dccvp": str(program), "platform": "", "folder": str(plan.folder), "name": plan.name,
                        "axes": list(AXES), "points": points, "best": {}, "heatmaps": [], "pareto": [],
                        "metrics": {name: name for name in study_measure.FIGURES},
                        "units": dict.fromkeys(study_measure.FIGURES, "")})


def measured(plan, program, out, jobs=1, again=False):
    """Returns a row of figures for every run of the plan, in the plan's order; runs whose figures are already in
    the folder are not repeated. Raises study_measure.RunError for the first run that fails."""
    folder = folder_of(plan, program.resolve(), out)
    run_of = {point["id"]: run for point, run in zip(folder.points, plan.runs)}
    with folder.locked():
        folder.save()
        for point in folder.due(retry=True, again=again):
            write_whole(point["config"], yaml.safe_dump(run_of[point["id"]].platform, sort_keys=False))
        folder.complete(jobs, "runs", retry=True, again=again, stop=True, measure=lambda point, place:
                        study_measure.figures_of(run_of[point["id"]], plan, place))
        rows, ends = [], [folder.status(point) for point in folder.points]
        for run, done in zip(plan.runs, ends):
            if done and done["status"] != OK:
                # A refusal names a place in a generated file, so this expression removes the place.
                raise study_measure.RunError(run, re.sub(r"^\S+\.yaml:\d+:\d+: ", "", done["message"]),
                                             done["status"] == REFUSED)
        for point, run, done in zip(folder.points, plan.runs, ends):
            if done is None:
                raise study_measure.RunError(run, "ended by a signal")
            figures = {name: math.nan if value is None else value for name, value in done["figures"].items()}
            figures["by_weight"] = {float(weight): value for weight, value in figures["by_weight"].items()}
            rows.append({"id": point["id"], **point["values"], "seed": run.seed, **figures})
    return rows


def study(options):
    plan = study_plan.read(options.study, options.seeds, options.case, options.variant)
    if not options.dccvp.is_file():
        raise InputError(f"{options.dccvp}: no such program")
    out = options.out or pathlib.Path("out") / plan.name
    rows = measured(plan, options.dccvp, out, options.jobs, options.again)
    results.write_csv(out / "runs.csv", ("id", *AXES, *study_measure.FIGURES, "by_weight"), [
        {**{name: None if value != value else value for name, value in row.items()},
         "by_weight": " ".join(f"{w:g}={g:.7g}" for w, g in row["by_weight"].items())} for row in rows])
    table = study_table.table(plan, rows)
    study_table.write_csv(out / "table.csv", table)
    text = study_table.markdown(table)
    if plan.slowdowns:
        sizes = study_sizes.compared(plan, rows)
        study_sizes.write_csv(out / "sizes.csv", sizes)
        text += study_sizes.markdown(sizes)
    write_whole(out / "table.md", text)
    print(text, end="")
    if not options.no_plots:
        pictures(lambda: importlib.import_module("dccvp.experiments.study_plots").draw(plan, rows, out))
    return 1 if any(line["missed"] for line in table) else 0


def main(argv):
    options = arguments(argv)
    try:
        return study(options)
    except study_measure.RunError as error:
        print(f"dccvp: {options.study}: {error}", file=sys.stderr)
        return 2 if error.refused else 1
