"""Null models: published experiments with a deliberately wrong scheme in place of the right one. Their results stand in
configs/reproduce/null_models.md.

  tool.py null-models DCCVP [NAME]… [--out DIR] [--jobs N] [--onto PAGE]

For each null of configs/reproduce/nulls.yml each run that it names is run as published and with the null's settings. A
figure that is inside its bounds as published and outside with the null distinguishes the two; a figure inside in both
says nothing about the scheme. `over` divides by the run as published. Without names all experiments of nulls.yml
are run. Leaves null-models.json in DIR (default out/null-models), and with --onto replaces the rows of these
experiments in PAGE.
Exit status: 0; 1 if a figure has no value, which is no evidence and counts nowhere, and nulls.yml does not say so; 2
for unusable input. A null that the program refuses is a row of its own.

nulls.yml, a list:
  - name: text
    set: [key.path=value, …]           as -c; a section that is set as a whole replaces what the run sets in it
    of: {EXPERIMENT: PATTERN, …}       the runs whose names match the regular expression ("": all)
    silent: {EXPERIMENT: text, …}      why no figure of an experiment tells this null apart
    without: {EXPERIMENT: [FIGURE, …]} figures that have no value with this null
"""

import dataclasses
import json
import pathlib
import re
import sys
import textwrap

import yaml

from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole
from dccvp.experiments import figures, reproduce, reproduce_plan
from dccvp.experiments.folder import parser_of

NULLS = reproduce_plan.SHIPPED / "nulls.yml"
PUBLISHED = "as published"

INTRODUCTION = """\
# Null models: what each published figure can tell apart

This file says which figures of the published experiments (`docs/reproductions.md`) would notice a wrong scheme. Each
experiment is run a second time with a *null model*, a scheme that is wrong on purpose, in place of its own
(`nulls.yml`). A figure is told apart when its bound holds as published and fails with the null model. A figure that
holds with both is evidence of the platform (links, buffers, headers), not of the scheme.

```sh long
python/tool.py null-models build/dccvp --onto configs/reproduce/null_models.md
```

Counts are figures over all runs; *none* is no congestion control. The last column names the figures that no run tells
apart.

| experiment | null model | told apart | holds with both |
|---|---|---|---|
"""
ENDING = """
Experiments that tell nothing apart, and why:

"""
BARE = """
Experiments without a null model. What their figures would notice of a wrong scheme is not known:

{names}.
"""


def arguments_of(argv):
    parser = parser_of(__doc__, jobs=1)
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--onto", type=pathlib.Path)
    parser.set_defaults(out=pathlib.Path("out/null-models"), seeds=1)
    return parser.parse_args(argv)


def replaced(settings, null):
    """The settings of a run without those of sections that the null replaces as a whole, followed by the null's
    settings."""
    sections = tuple(item.partition("=")[0] for item in null if item.partition("=")[2].startswith("{"))
    kept = [item for item in settings
            if not any(item.partition("=")[0] == section or item.startswith(section + ".") for section in sections)]
    return [*kept, *null]


def silent(file=NULLS):
    """{(experiment, null): why no figure of the experiment distinguishes the null}."""
    return {(name, null["name"]): why for null in yaml.safe_load(file.read_text(encoding="utf-8"))
            for name, why in null.get("silent", {}).items()}


def without(file=NULLS):
    """{(experiment, null): names of the figures that have no value with the null}."""
    return {(name, null["name"]): names for null in yaml.safe_load(file.read_text(encoding="utf-8"))
            for name, names in null.get("without", {}).items()}


def cases(names, file=NULLS):
    """Yields (experiment, name of the null, the runs that the null selects, with its settings)."""
    there: dict[str, reproduce_plan.Experiment] = {}
    found = []
    for null in yaml.safe_load(file.read_text(encoding="utf-8")):
        for name, pattern in null["of"].items():
            if name not in there:
                path = file.parent / f"{name}{reproduce_plan.SUFFIX}"
                if not path.is_file():
                    raise InputError(f"{file}: no experiment '{name}'")
                there[name] = reproduce_plan.read(path)
            experiment = there[name]
            runs = [dataclasses.replace(run, overrides=replaced(run.overrides, null["set"]))
                    for run in experiment.runs if re.search(pattern, run.name)]
            if not runs:
                raise InputError(f"{file}: {name} has no run that matches '{pattern}'")
            slug = re.sub(r"\W+", "_", null["name"])
            found.append((experiment, null["name"], dataclasses.replace(experiment, name=f"{name}-{slug}", runs=runs)))
    for name in names:
        if name not in [experiment.name for experiment, _, _ in found]:
            raise InputError(f"{file}: no null for '{name}'")
    return [case for case in found if not names or case[0].name in names]


def compared(experiment, wrong, published, results):
    """{figure: [distinguished, total]} of a null, the names of the runs that the program refused, and (run, figure) of
    each figure without a value. `published` and `results`: {run: metrics or None}."""
    counts: dict[str, list[int]] = {}
    refused = []
    missing = []
    for run in wrong.runs:
        right, null = published[run.name], results[run.name]
        if null is None:
            refused.append(run.name)
        if right is None or null is None:
            continue
        above = {name: [metrics] for name, metrics in published.items()}
        for figure in run.figures:
            if not figures.bounded(figure):
                continue
            values = [figures.figure_values([metrics], figure, above) for metrics in (right, null)]
            if not all(values):
                missing.append((run.name, figure.name))
                continue
            if not figures.inside(figure, values[0][0]):
                continue
            count = counts.setdefault(figure.name, [0, 0])
            count[0] += not figures.inside(figure, values[1][0])
            count[1] += 1
    return counts, refused, missing


def row_of(record):
    """The line of the page for a null's record."""
    counts = record["figures"]
    told, of = (sum(count[place] for count in counts.values()) for place in (0, 1))
    silent = ", ".join(name for name, count in counts.items() if count[0] == 0).replace("|", "/")
    if record["refused"]:
        silent += ("; " if silent else "") + f"{len(record['refused'])} runs refuse the null"
    return f"| `{record['experiment']}` | {record['null']} | {told}/{of} | {silent} |"


def complaints_of(records, expected):
    """A message for each figure that has no value although `expected`, the result of without(), does not list it."""
    return [f"{record['experiment']}, {record['null']}: {run}: {name} has no value"
            for record in records for run, name in record["missing"]
            if name not in expected.get((record["experiment"], record["null"]), [])]


def key_of(line):
    """(experiment, null) of a line of the page."""
    cells = line.strip("| ").split(" | ")
    return cells[0].strip("`"), cells[1]


def without_null():
    """Names of the shipped experiments that nulls.yml does not name."""
    named = {name for null in yaml.safe_load(NULLS.read_text(encoding="utf-8")) for name in null["of"]}
    names = [path.name.removesuffix(reproduce_plan.SUFFIX) for path in reproduce_plan.find(reproduce_plan.SHIPPED)]
    return [name for name in names if name not in named]


def page_of(lines):
    """The page with these lines, sorted by experiment and null."""
    nulls: dict[tuple[str, str], list[str]] = {}
    for (name, null), why in sorted(silent().items()):
        nulls.setdefault((name, why), []).append(null)
    reasons = "".join(f"- `{name}`, {', '.join(of)}: {why}.\n" for (name, why), of in nulls.items())
    bare = BARE.format(names=textwrap.fill(", ".join(f"`{name}`" for name in without_null()), 118))
    rows = "".join(line + "\n" for line in sorted(lines, key=key_of))
    return INTRODUCTION + rows + (reasons and ENDING + reasons) + bare


def rows_of(page):
    """{(experiment, null): line} of a page."""
    return {key_of(line): line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")}


def main(argv):
    options = arguments_of(argv)
    chosen = cases(options.names)
    originals = {experiment.name: experiment for experiment, _, _ in chosen}
    everything = [*originals.values(), *(wrong for _, _, wrong in chosen)]
    folder = reproduce.folder_of(options, everything)
    with folder.locked():
        folder.save()
        folder.complete(options.jobs, "runs")
        results = reproduce.results_of(folder)
        found = {e.name: {run.name: next(results)[1] for run in e.runs} for e in everything}
    records = []
    for experiment, null, wrong in chosen:
        counts, refused, missing = compared(experiment, wrong, found[experiment.name], found[wrong.name])
        records.append({"experiment": experiment.name, "null": null, "figures": counts, "refused": refused,
                        "missing": missing})
    write_whole(options.out / "null-models.json", json.dumps(records, indent=1) + "\n")
    lines = {(record["experiment"], record["null"]): row_of(record) for record in records}
    if options.onto:
        known = {(experiment.name, null) for experiment, null, _ in cases([])}
        old = rows_of(options.onto) if options.onto.exists() else {}
        lines = {key: line for key, line in {**old, **lines}.items() if key in known}
        options.onto.write_text(page_of(lines.values()), encoding="utf-8")
    else:
        print(page_of(lines.values()), end="")
    complaints = complaints_of(records, without())
    print("".join(line + "\n" for line in complaints), end="", file=sys.stderr)
    return 1 if complaints else 0
