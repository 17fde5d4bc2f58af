"""Runs published experiments again and holds them against their figures. docs/reproductions.md.

  tool.py reproduce DCCVP [NAME]… [--list] [--out DIR] [--seeds N] [--jobs N] [--experiments DIR]

`dccvp reproduce` becomes it. Leaves in DIR (default out/reproduce) every run's folder and log,
reproduction.json, reproduction.png, and NAME.png of each comparison and of what has a picture.
Of several seeds a figure is the mean, half of its 95 % confidence interval, and least and greatest.
Exit status: 0 all figures inside or explained, 1 one is not or a run failed, 2 unusable input.
"""

import argparse
import itertools
import json
import pathlib
import sys
import textwrap

from dccvp.common import processes
from dccvp.common.ending import InputError
from dccvp.common.progress import Progress
from dccvp.common.statistics import confidence
from dccvp.common.text_table import text_table
from dccvp.common.whole_file import write_whole
from dccvp.experiments import reproduce_judgement, reproduce_plan

SHIPPED = pathlib.Path(__file__).resolve().parents[3] / "configs/reproduce"


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/reproduce"))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--experiments", type=pathlib.Path, default=SHIPPED)
    return parser.parse_args(argv)


def chosen(options):
    """The experiments that were named; all but the slow ones if none was."""
    there = {e.name: e for e in map(reproduce_plan.read, reproduce_plan.find(options.experiments))}
    if not options.names:
        return [e for e in there.values() if options.list or not e.slow]
    for name in options.names:
        if name not in there:
            raise InputError(f"{options.experiments}: no experiment '{name}' (dccvp reproduce --list)")
    return [there[name] for name in options.names]


def runs_of(options, experiments):
    """[(folder, command)], experiment by experiment, run by run and seed by seed."""
    runs = []
    for experiment in experiments:
        for number, run in enumerate(experiment.runs):
            for seed in range(1, options.seeds + 1):
                folder = options.out / experiment.name / f"run{number}-seed{seed}"
                sets = [word for override in run.overrides for word in ("-c", override)]
                runs.append((folder, [
                    str(options.dccvp), "run", str(experiment.config), "--out", str(folder), "--force",
                    "--no-plots", "--quiet", *sets, "--seed", str(seed)]))
    return runs


def results_of(runs, jobs):
    """Runs all, then yields (folder, metrics) of each in order; None for one that failed. What it said
    goes into a log beside its folder."""
    share = processes.share_of_each(len(runs), jobs)
    failed = set()
    with Progress(sys.stderr, len(runs), "runs") as progress:
        commands = [command + share for _, command in runs]
        for done, (index, code, said) in enumerate(processes.run_all(commands, jobs), 1):
            write_whole(f"{runs[index][0]}.log", said + "\n" if said else "")
            if code != 0:
                failed.add(index)
            progress.show(done)
    for index, (folder, _) in enumerate(runs):
        if index in failed:
            yield folder, None
            continue
        file = folder / "metrics.json"
        try:
            metrics = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"'{file}': {error}") from None
        reproduce_judgement.add_times(metrics, folder)
        yield folder, metrics


def number(value):
    return f"{value:.4g}"


def accepted_text(figure):
    text = "" if figure.published is None else number(figure.published)
    if figure.within is not None:
        text += " +- " + number(figure.within)
    if figure.within_share is not None:
        text += f" +- {figure.within_share * 100:g} %"
    bounds = [text] if text else []
    if figure.at_most is not None:
        bounds.append("<= " + number(figure.at_most))
    if figure.at_least is not None:
        bounds.append(">= " + number(figure.at_least))
    return ", ".join(bounds) or "-"


def ours_text(judgement):
    values = judgement.values
    if not values:
        return "-"
    if len(values) == 1:
        return number(values[0])
    return (f"{number(judgement.mean)} +- {number(confidence(values))} ({number(min(values))} .. "
            f"{number(max(values))})")


def record_of(experiment, run, judgement):
    """An entry of reproduction.json."""
    figure = judgement.figure
    return {"experiment": experiment.name, "run": run.name, "figure": figure.name,
            "published": figure.published, "accepted": accepted_text(figure), "ours": judgement.values,
            "verdict": judgement.verdict, "source": figure.source or experiment.source,
            "reason": figure.reason}


def report(experiment, results, seeds):
    """Prints an experiment's table. `results`: (folder, metrics or None) of its runs, run by run and
    seed by seed. Returns its records, and whether every run ended well."""
    rows, notes, records, whole = [["run: figure", "published", "ours", "verdict"]], [], [], True
    above = {}
    for run in experiment.runs:
        mine = list(itertools.islice(results, seeds))
        for folder, metrics in mine:
            if metrics is None:
                whole = False
                notes.append(f"run failed, see {folder}.log")
        for figure in run.figures:
            values = reproduce_judgement.figure_values([metrics for _, metrics in mine], figure, above)
            judgement = reproduce_judgement.judge(figure, values, seeds)
            rows.append([f"{run.name}: {figure.name}", accepted_text(figure), ours_text(judgement),
                         judgement.verdict])
            if judgement.verdict == reproduce_judgement.EXPLAINED:
                notes.append(f"{run.name}: {figure.name}: {figure.reason}")
            records.append(record_of(experiment, run, judgement))
        above[run.name] = [metrics for _, metrics in mine]
    print(f"{experiment.title} ({experiment.name})\n  source: {experiment.source}\n{text_table(rows)}",
          end="")
    for note in notes:
        print(textwrap.fill(note, 78, initial_indent="  * ", subsequent_indent="    ",
                            break_long_words=False, break_on_hyphens=False))
    print()
    return records, whole


def draw(folder, experiments):
    try:
        from dccvp.plot import plot_comparison, plot_rates, plot_reproduction  # nothing else needs matplotlib
        plot_reproduction.draw(folder)
        for experiment in experiments:
            if experiment.comparison:
                plot_comparison.draw(folder, experiment)
            if experiment.picture:
                plot_rates.draw(folder, experiment)
    except ImportError as error:
        print(f"Note: no pictures: {error}")


def main(argv):
    options = arguments_of(argv)
    experiments = chosen(options)
    if options.list:
        for experiment in experiments:
            print(f"{experiment.name:<24} {experiment.title}{' (slow)' if experiment.slow else ''}")
        return 0
    results = results_of(runs_of(options, experiments), options.jobs)
    records, good = [], True
    for experiment in experiments:
        own, whole = report(experiment, results, options.seeds)
        good = good and whole
        records += own
    table = options.out / "reproduction.json"
    write_whole(table, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
    draw(options.out, experiments)
    print(f"Table: {table}")
    bad = (reproduce_judgement.OUTSIDE, reproduce_judgement.MISSING)
    return 0 if good and not any(record["verdict"] in bad for record in records) else 1
