"""Tables of what `dccvp reproduce` left, and docs/reproductions.md, their summary.

  tool.py reproductions-page [--onto PAGE] FOLDER…  the summary on standard output, or PAGE with its rows of the
                                                    experiments in the folders replaced

Each FOLDER holds a reproduction.json; of an experiment that several hold, the last counts. PAGE keeps the rows of
experiments that no folder holds, as long as there is such an experiment.
"""

import json
import pathlib
import sys

import yaml

from dccvp.common.ending import InputError
from dccvp.common.statistics import mean
from dccvp.experiments import figures, reproduce_plan
from dccvp.experiments.reproduce_plan import SHIPPED

INTRODUCTION = """\
# Published experiments, run again

This page says which published experiments DCC-VP repeats, how many of their figures it meets, and how to run one:

```sh long
build/dccvp reproduce star_dcqcn --seeds 3
```

The command leaves `out/reproduce/reproduction.md`: each figure with its published value, the accepted tolerance or
bound, the value of DCC-VP with its 95 % confidence interval, the verdict, and the reason for every figure outside.
Without a name `dccvp reproduce` runs all experiments but the slow ones (marked \\*). One experiment is a configuration
and a file of figures in `configs/reproduce/`, both with their sources. A figure without a bound is shown, not judged.

The counts are those of the last run of each experiment. `python/tool.py reproductions-page --onto
docs/reproductions.md out/reproduce` brings them up to date.

| `dccvp reproduce` | repeats | inside | outside, with a reason | outside or missing | not judged |
|---|---|---|---|---|---|
"""
VERDICTS = ((figures.INSIDE,), (figures.EXPLAINED,), (figures.OUTSIDE, figures.MISSING), (figures.SHOWN,))


def cell(text):
    return str(text).replace("|", "\\|")


def load(folders):
    """{experiment: its entries} of the folders' reproduction.json."""
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


def judged_orders(records):
    """(order, [(experiment, value)], verdict) of each order whose experiments were all run."""
    result = []
    for order in yaml.safe_load((SHIPPED / "orders.yml").read_text()):
        values = []
        for name in order["ascending"]:
            for r in records.get(name, []):
                if (r["run"], r["figure"]) == (order["run"], order["figure"]) and r["ours"]:
                    values.append((name, mean(r["ours"])))
        if len(values) < len(order["ascending"]):
            continue
        ascending = all(a[1] < b[1] for a, b in zip(values, values[1:]))
        verdict = figures.INSIDE if ascending else figures.EXPLAINED if order.get("reason") else figures.OUTSIDE
        result.append((order, values, verdict))
    return result


def orders_table(orders):
    """A section about orders among experiments; empty without orders."""
    if not orders:
        return ""
    text = ["## Orders among experiments\n", "| order | ours, as published from least to greatest | verdict |",
            "|---|---|---|"]
    for order, values, verdict in orders:
        listed = ", ".join(f"{name} {value:.4g}" for name, value in values)
        text.append(f"| {order['title']} ({order['source']}) | {listed} | {verdict} |")
    reasons = [f"\n{order['title']}: {order['reason']}" for order, _, verdict in orders
               if verdict != figures.INSIDE and order.get("reason")]
    return "\n".join(text + reasons) + "\n\n"


def experiment_table(experiment, rows):
    """A section about an experiment: each figure, and the reasons for those outside."""
    count = max(len(r["ours"]) for r in rows)
    seeds = "one seed" if count == 1 else f"{count} seeds"
    text = [f"## {experiment.title}\n", f"`configs/reproduce/{experiment.config.name}`, {seeds}."
            f" Source: {experiment.source}.\n", "| run | figure | accepted | ours | verdict |", "|---|---|---|---|---|"]
    reasons = []
    for r in rows:
        verdict = r["verdict"]
        if verdict == figures.EXPLAINED:
            if r["reason"] not in reasons:
                reasons.append(r["reason"])
            verdict = f"outside ({reasons.index(r['reason']) + 1})"
        text.append(f"| {cell(r['run'])} | {cell(r['figure'])} | {cell(r['accepted'])} |"
                    f" {figures.ours_text(r['ours'])} | {verdict} |")
    text += [f"\n({i}) {reason}" for i, reason in enumerate(reasons, 1)]
    return "\n".join(text) + "\n\n"


def tables(experiments, records):
    """The content of reproduction.md, a table for every experiment, and whether every order among them holds."""
    by_name = {e.name: [r for r in records if r["experiment"] == e.name] for e in experiments}
    orders = judged_orders(by_name)
    return "# Published experiments, run again\n\n" + orders_table(orders) + "".join(
        experiment_table(e, by_name[e.name]) for e in experiments), all(o[2] != figures.OUTSIDE for o in orders)


def summary_row(experiment, rows):
    counts = [sum(r["verdict"] in verdicts for r in rows) for verdicts in VERDICTS]
    slow = " \\*" if experiment.slow else ""
    return f"| `{experiment.name}`{slow} | {cell(experiment.title)} | " + " | ".join(map(str, counts)) + " |"


def rows_of(page):
    """{experiment: its line} of a summary."""
    return {line.split("`")[1]: line for line in page.read_text(encoding="utf-8").splitlines()
            if line.startswith("| `") and not line.startswith("| `dccvp")}


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    page = pathlib.Path(arguments[1]) if arguments[0] == "--onto" and len(arguments) > 1 else None
    records = load(arguments[2:] if page else arguments)
    experiments = {e.name: e for e in map(reproduce_plan.read, reproduce_plan.find(SHIPPED))}
    rows = {name: line for name, line in (rows_of(page) if page else {}).items() if name in experiments}
    rows.update((name, summary_row(experiments[name], own)) for name, own in records.items())
    text = INTRODUCTION + "".join(rows[name] + "\n" for name in sorted(rows))
    if page:
        page.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0
