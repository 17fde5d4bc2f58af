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
from dccvp.experiments import bounds, figures, reproduce_plan
from dccvp.experiments.reproduce_plan import SHIPPED

INTRODUCTION = """\
# Published experiments, run again

This page says which published experiments DCC-VP repeats, how many of their figures it meets, and how to run one.

**Published conclusions that come out reversed here:**

{reversed}

**Missed by far:** short flows under PIAS take 1.4 times as long as under pFabric, not 1.05 times (`pias_short_flows`);
with bursts TIMELY's gradient does not have the throughput of its section 4.4 at the paper's own low target
(`timely_bursts`).

**No difference where a survey shows one:** the traffic-control survey's figure 15 names flows of 100 KB. One such flow
from each of 319 hosts has left before the first answer comes back, so all algorithms have the same queue. Its curves
appear with flows that do not end (`survey_incast_*`).

```sh long
build/dccvp reproduce star_dcqcn --seeds 3
```

runs an experiment and leaves `out/reproduce/reproduction.md`: each figure with its published value, the accepted
tolerance or bound, the value of DCC-VP with its 95 % confidence interval, the verdict, and the reason for every figure
outside. Without a name all experiments but the slow ones (marked \\*) are run. An experiment is a configuration and a
file of figures in `configs/reproduce/`, both with their sources.

*Inside* counts figures within their bounds, of all that have bounds; each of the others has its reason. *Shown* counts
figures without bounds. `python/tool.py reproductions-page --onto docs/reproductions.md out/reproduce` renews the
counts.

| `dccvp reproduce` | repeats | inside | shown |
|---|---|---|---|
"""
BOUNDS = """
## How wide the bounds are

Greatest accepted value over the least, of every figure with bounds (`python/tool.py bounds`). The experiment's file
gives the reason for each bound wider than a factor of two, or open on one side. What the bounds can tell apart:
[null models](null-models.md).

{bounds}
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


def orders():
    """The orders of orders.yml."""
    return yaml.safe_load((SHIPPED / "orders.yml").read_text(encoding="utf-8"))


def places(order):
    """(experiment, run) of each member of an order: an order is among experiments, or among runs of one."""
    if "experiment" in order:
        return [(order["experiment"], run) for run in order["ascending"]]
    return [(experiment, order["run"]) for experiment in order["ascending"]]


def judged_orders(records):
    """(order, [(member, value)], verdict) of each order whose members were all run."""
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
    """A section about orders among experiments and runs; empty without orders."""
    if not judged:
        return ""
    text = ["## Orders among experiments\n", "| order | ours, as published from least to greatest | verdict |",
            "|---|---|---|"]
    for order, values, verdict in judged:
        listed = ", ".join(f"{name} {value:.4g}" for name, value in values)
        text.append(f"| {order['title']} ({order['source']}) | {listed} | {verdict} |")
    reasons = [f"\n{order['title']}: {order['reason']}" for order, _, verdict in judged
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
    judged = judged_orders(by_name)
    return "# Published experiments, run again\n\n" + orders_table(judged) + "".join(
        experiment_table(e, by_name[e.name]) for e in experiments), all(o[2] != figures.OUTSIDE for o in judged)


def reversed_orders():
    """Lines about the published orders that come out reversed here."""
    return [f"- *{order['title']}* ({order['source']}): {order['reason']}."
            for order in orders() if order.get("reason")]


def page_of(rows):
    """The page with these rows, a line for each experiment."""
    return INTRODUCTION.format(reversed="\n".join(reversed_orders())) + "".join(
        rows[name] + "\n" for name in sorted(rows)) + BOUNDS.format(bounds="\n".join(bounds.table()))


def summary_row(experiment, rows):
    """The experiment's line of the page; figures outside without a reason, or missing, stand in bold."""
    inside, explained, bad, shown = (sum(r["verdict"] in verdicts for r in rows) for verdicts in VERDICTS)
    slow = "\\*" if experiment.slow else ""
    without = f" **{bad} without a reason**" if bad else ""
    return (f"| `{experiment.name}`{slow} | {cell(experiment.title)} | {inside}/{inside + explained + bad}{without}"
            f" | {shown or ''} |")


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
    text = page_of(rows)
    if page:
        page.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0
