"""Runs published experiments again and compares their figures with the published ones. docs/reproductions.md.

  tool.py reproduce DCCVP [NAME]… [--list] [--out DIR] [--seeds N] [--jobs N] [--experiments DIR]

`dccvp reproduce` executes this tool. A NAME may be the first words of several experiments: `silicon` stands for
silicon_goodput, silicon_cnp and so on. Leaves in DIR (default out/reproduce) the folder and log of every run,
reproduction.json, reproduction.md, reproduction.png, and NAME.png of each comparison and of every experiment with a
picture. With several seeds a figure is the mean, half of its 95 % confidence interval, and the least and the
greatest value. Runs that DIR holds, from the same program and configuration, are not repeated. Exit status: 0 if
all figures are inside their bounds or explained, and in the order that orders.yml publishes; 1 if a figure is not,
or if a run failed; 2 for unusable input.
"""

import itertools
import json
import pathlib
import textwrap

from dccvp.common.ending import InputError
from dccvp.common.text_table import text_table
from dccvp.common.whole_file import write_whole
from dccvp.experiments import figures, identity, reproduce_plan, reproductions_page
from dccvp.experiments.folder import INTERRUPTED, OK, Folder, parser_of, pictures  # noqa: F401


def arguments_of(argv):
    parser = parser_of(__doc__, jobs=2)
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--experiments", type=pathlib.Path, default=reproduce_plan.SHIPPED)
    parser.set_defaults(out=pathlib.Path("out/reproduce"))
    return parser.parse_args(argv)


def chosen(options):
    """Returns the experiments named on the command line; without names, all but the slow ones."""
    there = {e.name: e for e in map(reproduce_plan.read, reproduce_plan.find(options.experiments))}
    if not options.names:
        return [e for e in there.values() if options.list or not e.slow]
    named = {}
    for name in options.names:
        own = {name} & there.keys() or {one for one in there if one.startswith(f"{name}_")}
        if not own:
            raise InputError(f"{options.experiments}: no experiment '{name}' (dccvp reproduce --list)")
        named.update((one, there[one]) for one in sorted(own))
    return list(named.values())


def folder_of(options, experiments):
    """Returns the folder with a point for each seed of each run of each experiment, in this order."""
    program = options.dccvp.resolve()
    inputs, here, points = identity.Inputs(program), pathlib.Path.cwd(), []
    for experiment in experiments:
        for number, run in enumerate(experiment.runs):
            for seed in range(1, options.seeds + 1):
                words, place = [*run.overrides, f"seed={seed}"], f"{experiment.name}/run{number}-seed{seed}"
                points.append({
                    "id": inputs.name(experiment.config, words, here, place), "place": place,
                    "config": str(experiment.config.resolve()), "arguments": words, "refused": None, "changes": "",
                    "values": {"experiment": experiment.name, "run": run.name, "seed": str(seed)}})
    return Folder(options.out, {"dccvp": str(program), "platform": "", "folder": str(here), "name": "reproduction",
                                "axes": ["experiment", "run", "seed"], "points": points, "metrics": {}, "units": {},
                                "best": {}, "heatmaps": [], "pareto": []})


def results_of(folder):
    """Yields (point's folder, metrics) for each point; metrics is None for a run that failed. The output of each run is
    in a log beside its folder."""
    for point in folder.points:
        done = folder.status(point)
        message = "ended by a signal" if done is None else done["message"]
        write_whole(f"{folder.results(point)}.log", message + "\n" if message else "")
        good = done is not None and done["status"] == OK
        yield folder.results(point), figures.results_of(folder.results(point)) if good else None


def report(experiment, results, seeds):
    """Prints the table of an experiment. `results`: (folder, metrics or None) of its points. Returns the entries for
    reproduction.json, and whether every run ended well."""
    rows, notes, records, whole = [["run: figure", "published", "ours", "verdict"]], [], [], True
    above = {}
    for run in experiment.runs:
        mine = list(itertools.islice(results, seeds))
        for folder, metrics in mine:
            if metrics is None:
                whole = False
                notes.append(f"run failed, see {folder}.log")
        for figure in run.figures:
            values = figures.figure_values([metrics for _, metrics in mine], figure, above)
            verdict = figures.judge(figure, values, seeds)
            accepted = figures.accepted_text(figure)
            rows.append([f"{run.name}: {figure.name}", accepted, figures.ours_text(values, "+-", ".."), verdict])
            if verdict == figures.EXPLAINED:
                notes.append(f"{run.name}: {figure.name}: {figure.reason}")
            records.append({"experiment": experiment.name, "run": run.name, "figure": figure.name,
                            "published": figure.published, "accepted": accepted, "ours": values,
                            "verdict": verdict, "source": figure.source or experiment.source,
                            "reason": figure.reason})
        above[run.name] = [metrics for _, metrics in mine]
    print(f"{experiment.title} ({experiment.name})\n  source: {experiment.source}\n{text_table(rows)}", end="")
    for note in notes:
        print(textwrap.fill(note, 78, initial_indent="  * ", subsequent_indent="    ",
                            break_long_words=False, break_on_hyphens=False))
    print()
    return records, whole


def draw(folder, experiments):
    from dccvp.plot import plot_comparison, plot_lines, plot_rates, plot_reproduction
    plot_reproduction.draw(folder)
    for experiment in experiments:
        if experiment.lines:
            plot_lines.draw(folder, experiment)
        elif experiment.comparison:
            plot_comparison.draw(folder, experiment)
        if experiment.picture:
            plot_rates.draw(folder, experiment)


def main(argv):
    options = arguments_of(argv)
    experiments = chosen(options)
    if options.list:
        for experiment in experiments:
            print(f"{experiment.name:<24} {experiment.title}{' (slow)' if experiment.slow else ''}")
        return 0
    folder = folder_of(options, experiments)
    with folder.locked():
        folder.save()
        folder.complete(options.jobs, "runs", retry=True)
        results, records, good = results_of(folder), [], True
        for experiment in experiments:
            own, whole = report(experiment, results, options.seeds)
            good = good and whole
            records += own
        table = options.out / "reproduction.json"
        write_whole(table, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
        text, ordered = reproductions_page.tables(experiments, records)
        write_whole(options.out / "reproduction.md", text)
        if not options.no_plots:
            pictures(lambda: draw(options.out, experiments))
    print(f"Table: {table}")
    bad = (figures.OUTSIDE, figures.MISSING)
    return 0 if good and ordered and not any(record["verdict"] in bad for record in records) else 1
