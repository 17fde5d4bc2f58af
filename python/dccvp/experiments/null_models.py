"""Null models: published experiments with a deliberately wrong scheme in place of the right one. The results are in
configs/reproduce/null_models.md.

  tool.py null-models DCCVP [NAME]… [--out DIR] [--jobs N] [--onto PAGE]

Each null of configs/reproduce/nulls.yml names runs; the tool makes these runs as published and with the null's
settings. A figure that is inside its bounds as published and outside with the null distinguishes the two schemes; a
figure that is inside in both runs is no evidence. `over` divides by the run as published. Without a NAME the tool
takes all experiments of nulls.yml. It leaves null-models.json in DIR (default out/null-models), and with --onto
replaces the rows of these experiments in PAGE.
A null may be a closed form, which gives the values of figures without a run. A figure distinguishes such a null if the
value is outside the figure's bounds; figures that are outside as published (`reason`) do not count.
Exit status: 1 if a figure has no value, or if no figure distinguishes a null, and nulls.yml does not list this case;
2 for unusable input; 0 otherwise. A null that the program refuses gets a row of its own.

nulls.yml, a list:
  - name: text
    set: [key.path=value, …]           as -c; a section that is set as a whole replaces what the run sets in it
    of: {EXPERIMENT: PATTERN, …}       the runs whose names match the regular expression ("": all)
    says: text                         closed form: its assumptions
    values:                            closed form: {EXPERIMENT: {PATTERN of runs: {PATTERN of figures: VALUE}}}
      VALUE: a number, or `like EXPERIMENT` or `like EXPERIMENT: RUN`, the published value (else the middle of the
      bounds) of the figure of that name in the run of that name, or in RUN
    silent: {EXPERIMENT: text, …}      why no figure of an experiment distinguishes this null
    without: {EXPERIMENT: [FIGURE, …]} figures that have no value with this null
"""

import dataclasses
import functools
import json
import math
import pathlib
import re
import sys
import textwrap

import yaml

from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole
from dccvp.experiments import bounds, figures, reproduce, reproduce_plan
from dccvp.experiments.folder import parser_of

NULLS = reproduce_plan.SHIPPED / "nulls.yml"

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
FORMS = """
Null models that are closed forms, and what they assume; they need no run:

"""
ENDING = """
Experiments that tell nothing apart, and why:

"""
BARE = """
Experiments without a null model. What their figures would notice of a wrong scheme is not known:

{names}.
"""


def replaced(settings, null):
    """Returns the settings of a run, without those of sections that the null replaces as a whole, followed by the
    null's settings."""
    sections = tuple(item.partition("=")[0] for item in null if item.partition("=")[2].startswith("{"))
    kept = [item for item in settings
            if not any(item.partition("=")[0] == section or item.startswith(section + ".") for section in sections)]
    return [*kept, *null]


def nulls(file=NULLS):
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def listed(key, file=NULLS):
    """Returns {(experiment, null): what `key` of nulls.yml says of them}."""
    return {(name, null["name"]): said for null in nulls(file) for name, said in null.get(key, {}).items()}


def silent():
    """Returns {(experiment, null): reason why no figure of the experiment distinguishes the null}."""
    return listed("silent")


@functools.lru_cache(maxsize=None)
def experiment_of(name, folder):
    path = folder / f"{name}{reproduce_plan.SUFFIX}"
    if not path.is_file():
        raise InputError(f"{folder}: no experiment '{name}'")
    return reproduce_plan.read(path)


def middle(figure):
    """Returns the published value of a figure, else the middle of its bounds."""
    if figure.published is not None:
        return figure.published
    least, most = bounds.limits(figure)
    return math.sqrt(least * most) if least is not None and most is not None and least > 0 else None


def predicted(said, run, figure, folder):
    """Returns the value that a closed form gives for a figure of a run."""
    if not isinstance(said, str):
        return float(said)
    name, _, other = said.removeprefix("like ").partition(": ")
    value = next((middle(one) for like in experiment_of(name, folder).runs if like.name == (other or run.name)
                  for one in like.figures if one.name == figure.name), None)
    if value is None:
        raise InputError(f"'{said}' has no value of {run.name}, {figure.name}")
    return value


def told_by_form(experiment, runs_said, folder):
    """Returns {figure: [distinguished, total]} of a closed form for an experiment; runs_said: {run pattern: {figure
    pattern: value}}."""
    counts: dict[str, list[int]] = {}
    for pattern, values in runs_said.items():
        chosen = [(run, figure, said) for run in experiment.runs if re.search(pattern, run.name)
                  for figure in run.figures if figures.bounded(figure)
                  for of, said in values.items() if re.search(of, figure.name)]
        if not chosen:
            raise InputError(f"{NULLS}: {experiment.name} has no figure with a bound that matches '{pattern}'")
        for run, figure, said in chosen:
            value = predicted(said, run, figure, folder)
            if figure.reason:
                continue
            count = counts.setdefault(figure.name, [0, 0])
            count[0] += not figures.inside(figure, value)
            count[1] += 1
    return counts


def closed_forms(names=(), file=NULLS):
    """Returns the records of null models that give their figures by a closed form instead of a run."""
    return [{"experiment": name, "null": null, "refused": [], "missing": [],
             "figures": told_by_form(experiment_of(name, file.parent), runs_said, file.parent)}
            for (name, null), runs_said in listed("values", file).items() if not names or name in names]


def cases(names, file=NULLS):
    """Yields (experiment, name of the null, runs that the null selects, with its settings)."""
    found = []
    for null in nulls(file):
        for name, pattern in null.get("of", {}).items():
            experiment = experiment_of(name, file.parent)
            runs = [dataclasses.replace(run, overrides=replaced(run.overrides, null["set"]))
                    for run in experiment.runs if re.search(pattern, run.name)]
            if not runs:
                raise InputError(f"{file}: {name} has no run that matches '{pattern}'")
            slug = re.sub(r"\W+", "_", null["name"])
            found.append((experiment, null["name"], dataclasses.replace(experiment, name=f"{name}-{slug}", runs=runs)))
    known = {name for key in ("of", "values") for name, _ in listed(key, file)}
    for name in names:
        if name not in known:
            raise InputError(f"{file}: no null for '{name}'")
    return [case for case in found if not names or case[0].name in names]


def compared(wrong, published, results):
    """Returns {figure: [distinguished, total]} of a null, the names of the runs that the program refused, and (run,
    figure) of each figure without a value. `published` and `results`: {run: metrics or None}."""
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
    """Returns the line of the page for a null's record."""
    counts = record["figures"]
    told, of = (sum(count[place] for count in counts.values()) for place in (0, 1))
    silent = ", ".join(name for name, count in counts.items() if count[0] == 0).replace("|", "/")
    if record["refused"]:
        silent += ("; " if silent else "") + f"{len(record['refused'])} runs refuse the null"
    return f"| `{record['experiment']}` | {record['null']} | {told}/{of} | {silent} |"


def complaints_of(records, expected, quiet=()):
    """Returns a message for each figure that has no value although `expected`, the figures that nulls.yml lists under
    `without`, does not name it, and for each null that no figure distinguishes and that is not in `quiet`, the keys of
    silent()."""
    return [f"{record['experiment']}, {record['null']}: {run}: {name} has no value"
            for record in records for run, name in record["missing"]
            if name not in expected.get((record["experiment"], record["null"]), [])] + [
        f"{record['experiment']}, {record['null']}: no figure tells it apart" for record in records
        if not any(told for told, _ in record["figures"].values())
        and (record["experiment"], record["null"]) not in quiet]


def key_of(line):
    """Returns (experiment, null) of a line of the page."""
    cells = line.strip("| ").split(" | ")
    return cells[0].strip("`"), cells[1]


def known():
    """Returns (experiment, null) of all cases and closed forms."""
    return listed("of").keys() | listed("values").keys()


def without_null():
    """Returns the names of the shipped experiments that nulls.yml does not name."""
    names = [path.name.removesuffix(reproduce_plan.SUFFIX) for path in reproduce_plan.find(reproduce_plan.SHIPPED)]
    named = {name for name, _ in known()}
    return [name for name in names if name not in named]


def page_of(lines):
    """Returns the page with these lines, sorted by experiment and null."""
    quiet: dict[tuple[str, str], list[str]] = {}
    for (name, null), why in sorted(silent().items()):
        quiet.setdefault((name, why), []).append(null)
    reasons = "".join(f"- `{name}`, {', '.join(of)}: {why}.\n" for (name, why), of in quiet.items())
    forms = "".join(f"- {name}: {what}.\n" for name, what in sorted(
        (null["name"], null["says"]) for null in nulls() if "values" in null))
    names = ", ".join(f"`{name}`" for name in without_null())
    bare = names and BARE.format(names=textwrap.fill(names, 118))
    rows = "".join(line + "\n" for line in sorted(lines, key=key_of))
    return INTRODUCTION + rows + (forms and FORMS + forms) + (reasons and ENDING + reasons) + bare


def rows_of(page):
    """Returns {(experiment, null): line} of a page."""
    return {key_of(line): line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")}


def originals_of(chosen):
    """Returns {name: experiment as published}, with only the runs that the cases need: runs that a null selects,
    and runs whose figures divide theirs."""
    needed: dict[str, set[str]] = {}
    for experiment, _, wrong in chosen:
        names = {run.name for run in wrong.runs}
        needed.setdefault(experiment.name, set()).update(
            names, (figure.over for run in wrong.runs for figure in run.figures if figure.over))
    return {experiment.name: dataclasses.replace(
        experiment, runs=[run for run in experiment.runs if run.name in needed[experiment.name]])
        for experiment, _, _ in chosen}


def run_all(options, chosen):
    """Runs the cases and returns their records."""
    originals = originals_of(chosen)
    everything = [*originals.values(), *(wrong for _, _, wrong in chosen)]
    folder = reproduce.folder_of(options, everything)
    with folder.locked():
        folder.save()
        folder.complete(options.jobs, "runs")
        results = reproduce.results_of(folder)
        found = {e.name: {run.name: next(results)[1] for run in e.runs} for e in everything}
    records = []
    for experiment, null, wrong in chosen:
        counts, refused, missing = compared(wrong, found[experiment.name], found[wrong.name])
        records.append({"experiment": experiment.name, "null": null, "figures": counts, "refused": refused,
                        "missing": missing})
    return records


def main(argv):
    parser = parser_of(__doc__, jobs=1)
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--onto", type=pathlib.Path)
    parser.set_defaults(out=pathlib.Path("out/null-models"), seeds=1)
    options = parser.parse_args(argv)
    chosen = cases(options.names)
    records = run_all(options, chosen) if chosen else []
    records += closed_forms(options.names)
    write_whole(options.out / "null-models.json", json.dumps(records, indent=1) + "\n")
    lines = {(record["experiment"], record["null"]): row_of(record) for record in records}
    if options.onto:
        old = rows_of(options.onto) if options.onto.exists() else {}
        there = known()
        lines = {key: line for key, line in {**old, **lines}.items() if key in there}
        options.onto.write_text(page_of(lines.values()), encoding="utf-8")
    else:
        print(page_of(lines.values()), end="")
    complaints = complaints_of(records, listed("without"), silent())
    print("".join(line + "\n" for line in complaints), end="", file=sys.stderr)
    return 1 if complaints else 0
