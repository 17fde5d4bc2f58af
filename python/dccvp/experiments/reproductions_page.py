"""Makes tables of the results of `dccvp reproduce`: configs/reproduce/results.md, and docs/reproductions.md, the
summary of results.md.

  tool.py reproductions-page [--onto PAGE] [--results FILE] [FOLDER]…

Replaces in FILE (default configs/reproduce/results.md) the rows of the experiments in the folders, and writes the
summary of all rows on standard output, or to PAGE. Each FOLDER holds a reproduction.json; if several folders hold
the same experiment, the last folder counts. FILE keeps the rows of experiments that no folder holds, unless such an
experiment no longer exists.
"""

import argparse
import json
import pathlib

import yaml

from dccvp.common.ending import InputError
from dccvp.common.statistics import mean
from dccvp.common.text_table import markdown
from dccvp.experiments import bounds, figures, reproduce_plan
from dccvp.experiments.reproduce_plan import SHIPPED

INTRODUCTION = """\
# Published experiments, run again

After this page you can repeat the published experiments that DCC-VP reproduces, and you know how many of their figures
it meets.

**Published conclusions that come out reversed here:**

{reversed}

**Missed by far:** short flows under PIAS take 1.4 times as long as under pFabric, not 1.05 times (`pias_short_flows`);
with bursts TIMELY's gradient does not have the throughput of its section 4.4 at the paper's own low target
(`timely_bursts`).

**No difference where a survey shows one:** the traffic-control survey's figure 15 names flows of 100 KB. Such a
flow has left before its first answer comes back, so queue and delay of four schemes agree within 0.5 % at every
number of senders (`survey_figure15`, left). Its curves appear with flows that do not end (right).

![goodput, delay and queue by number of senders, flows of 100 KB and flows without an end](pictures/survey_figure15.png)

Its figure 16 comes out in its order, HPCC, DCTCP, DCQCN for short flows (`survey_figure16`); HPCC's 99th percentile is
24 to 26 us, not below 20.

![99th percentile of the completion time by size of flow](pictures/survey_figure16.png)

```sh long
build/dccvp reproduce star_dcqcn --seeds 3
```

runs an experiment and leaves `out/reproduce/reproduction.md`: each figure with its published value, the accepted
tolerance or bound, the value of DCC-VP with its 95 % confidence interval, the verdict, and the reason for every figure
outside. Without a name all experiments but the slow ones are run; `--list` lists them. An experiment is a configuration
and a file of figures in `configs/reproduce/`, both with their sources; `results.md` there has the counts of each.
`python/tool.py reproductions-page --onto docs/reproductions.md out/reproduce` renews them and the table below.
[Measured adapters and switches](../configs/reproduce/silicon.md) explains the experiments `silicon_…`.

*Inside* counts figures within their bounds, of all that have bounds; each of the others has its reason. *Shown* counts
figures without bounds.

| experiments | number | inside | shown |
|---|---|---|---|
"""
RESULTS = """\
# Published experiments: figures of the last run of each

*Inside* counts figures within their bounds, of all that have bounds. *Shown* counts figures without bounds. Slow
experiments are marked \\*. `python/tool.py reproductions-page` writes this file.

| `dccvp reproduce` | repeats | inside | shown |
|---|---|---|---|
"""
BOUNDS = """
## How wide the bounds are

Greatest accepted value over the least, of every figure with bounds (`python/tool.py bounds`). The experiment's file
gives the reason for each bound wider than a factor of two, or open on one side.

{bounds}

**What the bounds can tell apart.** A *null model* is a scheme that is wrong on purpose, in place of the experiment's
own: a run, or a closed form. A figure that holds with both is evidence of the platform, not of the scheme.
`configs/reproduce/null_models.md` lists for each experiment how many figures fail with its null models;
`python/tool.py null-models build/dccvp --onto configs/reproduce/null_models.md` runs them again.
"""
VERDICTS = ((figures.INSIDE,), (figures.EXPLAINED,), (figures.OUTSIDE, figures.MISSING), (figures.SHOWN,))


def load(folders):
    """Returns {experiment: its entries} of the reproduction.json files in the folders."""
    records = {}
    for folder in folders:
        fresh = {}
        file = pathlib.Path(folder) / "reproduction.json"
        try:
            results = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"'{file}': {error}") from None
        for record in results:
            fresh.setdefault(record["experiment"], []).append(record)
        records.update(fresh)
    return records


def orders():
    """Returns the published orders that orders.yml lists."""
    return yaml.safe_load((SHIPPED / "orders.yml").read_text(encoding="utf-8"))


def places(order):
    """Returns (experiment, run) of each member of an order: the members are experiments, or runs of one experiment."""
    if "experiment" in order:
        return [(order["experiment"], run) for run in order["ascending"]]
    return [(experiment, order["run"]) for experiment in order["ascending"]]


def judged_orders(records):
    """Returns (order, [(member, value)], verdict) of each order whose members have all been run."""
    result = []
    for order in orders():
        values = []
        for member, (experiment, run) in zip(order["ascending"], places(order)):
            for r in records.get(experiment, []):
                if (r["run"], r["figure"]) == (run, order["figure"]) and r["ours"]:
                    values.append((member, mean(r["ours"])))
        if len(values) < len(order["ascending"]):
            continue
        ascending = all(a[1] < b[1] for a, b in zip(values, values[1:]))
        verdict = figures.INSIDE if ascending else figures.EXPLAINED if order.get("reason") else figures.OUTSIDE
        result.append((order, values, verdict))
    return result


def orders_table(judged):
    """Returns a section about orders among experiments and runs; empty without orders."""
    if not judged:
        return ""
    rows = [(f"{order['title']} ({order['source']})",
             ", ".join(f"{name} {value:.4g}" for name, value in values), verdict) for order, values, verdict in judged]
    text = ["## Orders among experiments\n",
            *markdown(("order", "ours, as published from least to greatest", "verdict"), rows)]
    reasons = [f"\n{order['title']}: {order['reason']}" for order, _, verdict in judged
               if verdict != figures.INSIDE and order.get("reason")]
    return "\n".join(text + reasons) + "\n\n"


def experiment_table(experiment, rows):
    """Returns a section about an experiment: each figure, and the reason for each figure outside its bounds."""
    count = max(len(r["ours"]) for r in rows)
    seeds = "one seed" if count == 1 else f"{count} seeds"
    table, reasons = [], []
    for r in rows:
        verdict = r["verdict"]
        if verdict == figures.EXPLAINED:
            if r["reason"] not in reasons:
                reasons.append(r["reason"])
            verdict = f"outside ({reasons.index(r['reason']) + 1})"
        table.append((r["run"], r["figure"], r["accepted"], figures.ours_text(r["ours"]), verdict))
    text = [f"## {experiment.title}\n", f"`configs/reproduce/{experiment.config.name}`, {seeds}."
            f" Source: {experiment.source}.\n", *markdown(("run", "figure", "accepted", "ours", "verdict"), table)]
    text += [f"\n({i}) {reason}" for i, reason in enumerate(reasons, 1)]
    return "\n".join(text) + "\n\n"


def tables(experiments, records):
    """Returns the content of reproduction.md, with a table for every experiment, and whether every published order
    holds."""
    by_name = {e.name: [r for r in records if r["experiment"] == e.name] for e in experiments}
    judged = judged_orders(by_name)
    return "# Published experiments, run again\n\n" + orders_table(judged) + "".join(
        experiment_table(e, by_name[e.name]) for e in experiments), all(o[2] != figures.OUTSIDE for o in judged)


def family_rows(rows):
    """Returns one line for all experiments whose names begin with the same word: the number of experiments and the
    sums of their counts."""
    families: dict[str, list[str]] = {}
    for name in sorted(rows):
        families.setdefault(name.split("_")[0], []).append(name)
    lines = []
    for word, names in families.items():
        inside, bounded, without, shown = (sum(column) for column in zip(*(counts_of(rows[name]) for name in names)))
        missed = f" **{without} without a reason**" if without else ""
        of_all = f"`{word}_…`" if len(names) > 1 else f"`{names[0]}`"
        lines.append(f"| {of_all} | {len(names)} | {inside}/{bounded}{missed} | {shown or ''} |")
    return lines


def page_of(rows):
    """Returns the summary page of the rows in results.md."""
    reversed_here = [f"- *{order['title']}* ({order['source']}): {order['reason']}."
                     for order in orders() if order.get("reason")]
    return INTRODUCTION.format(reversed="\n".join(reversed_here)) + "".join(
        line + "\n" for line in family_rows(rows)) + BOUNDS.format(bounds="\n".join(bounds.table()))


def summary_row(experiment, rows):
    """Returns the experiment's line in results.md; missing figures, and figures outside their bounds without a
    reason, are bold."""
    inside, explained, bad, shown = (sum(r["verdict"] in verdicts for r in rows) for verdicts in VERDICTS)
    slow = "\\*" if experiment.slow else ""
    without = f" **{bad} without a reason**" if bad else ""
    return (f"| `{experiment.name}`{slow} | {experiment.title} | {inside}/{inside + explained + bad}{without}"
            f" | {shown or ''} |")


def counts_of(row):
    """Returns (inside, with bounds, outside without a reason, shown): the counts in a line of results.md."""
    inside, shown = (text.strip() for text in row.split("|")[-3:-1])
    figures_inside, bounded = inside.split()[0].split("/")
    without = inside.split("**")[1].split()[0] if "**" in inside else 0
    return int(figures_inside), int(bounded), int(without), int(shown or 0)


def rows_of(file):
    """Returns {experiment: its line} of results.md."""
    return {line.split("`")[1]: line for line in file.read_text(encoding="utf-8").splitlines()
            if line.startswith("| `") and not line.startswith("| `dccvp")}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onto", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path, default=SHIPPED / "results.md")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args(arguments)
    experiments = {e.name: e for e in map(reproduce_plan.read, reproduce_plan.find(SHIPPED))}
    rows = {name: line for name, line in rows_of(options.results).items() if name in experiments}
    rows.update((name, summary_row(experiments[name], own)) for name, own in load(options.folders).items())
    options.results.write_text(RESULTS + "".join(rows[name] + "\n" for name in sorted(rows)), encoding="utf-8")
    if options.onto:
        options.onto.write_text(page_of(rows), encoding="utf-8")
    else:
        print(page_of(rows), end="")
    return 0
