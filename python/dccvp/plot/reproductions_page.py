"""Writes docs/reproductions.md from what `dccvp reproduce` left.

  tool.py reproductions-page FOLDER... > docs/reproductions.md
  tool.py reproductions-page --onto PAGE FOLDER...  the page, with what is in the folders anew
  tool.py reproductions-page --orders FOLDER...     only the orders among experiments; exit 1 if one fails

Each FOLDER holds a reproduction.json; of an experiment that is in several, the last counts. Of the page that
--onto names stays what is in no folder, as long as there is such an experiment.
"""
import contextlib
import io
import json
import pathlib
import sys

import yaml

from dccvp.common.ending import InputError
from dccvp.common.statistics import confidence, mean
from dccvp.experiments import reproduce_plan
from dccvp.experiments.reproduce import SHIPPED as EXPERIMENTS

INTRODUCTION = """\
# Published experiments, run again

Made by `python/tool.py reproductions-page` from the results of `dccvp reproduce`:

```sh long
build/dccvp reproduce --out out/short --seeds 3
build/dccvp reproduce fbhadoop_hpcc --out out/slow
python/tool.py reproductions-page --onto docs/reproductions.md out/short out/slow
```

The first runs all but the slow ones, which are run by name; each leaves the table as text and JSON
and the plot `reproduction.png`. One experiment is a configuration and a file of figures in
`configs/reproduce/`, both with their sources. *Accepted* is the published value with the tolerance,
or the bound, that a verdict goes by; *ours* is the mean over the seeds with half of its 95 % confidence
interval (±, where it was run since that is told) and the least and the greatest, or the one value where all
seeds give the same (nothing is drawn in such a run) or one was run. A figure without a verdict is there to
be read. What lies outside has its reason under its table.
"""


def number(value):
    return f"{value:.4g}"


def ours(values):
    if not values:
        return "-"
    if min(values) == max(values):
        return number(values[0])
    return (f"{number(mean(values))} ± {number(confidence(values))} ({number(min(values))} …"
            f" {number(max(values))})")


def cell(text):
    return str(text).replace("|", "\\|")


def load(folders):
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
    for order in yaml.safe_load((EXPERIMENTS / "orders.yml").read_text()):
        values = []
        for name in order["ascending"]:
            for r in records.get(name, []):
                if (r["run"], r["figure"]) == (order["run"], order["figure"]) and r["ours"]:
                    values.append((name, mean(r["ours"])))
        if len(values) < len(order["ascending"]):
            continue
        if all(a[1] < b[1] for a, b in zip(values, values[1:])):
            verdict = "inside"
        else:
            verdict = "outside, explained" if order.get("reason") else "OUTSIDE"
        result.append((order, values, verdict))
    return result


def print_orders(records):
    orders = judged_orders(records)
    if not orders:
        return True
    print("## Orders among experiments\n")
    print("| order | ours, as published from least to greatest | verdict |\n|---|---|---|")
    for order, values, verdict in orders:
        listed = ", ".join(f"{name} {number(value)}" for name, value in values)
        print(f"| {order['title']} ({order['source']}) | {listed} | {verdict} |")
    print()
    for order, _, verdict in orders:
        if verdict != "inside" and order.get("reason"):
            print(f"{order['title']}: {order['reason']}\n")
    return all(verdict != "OUTSIDE" for _, _, verdict in orders)


def seeds(rows):
    count = max(len(r["ours"]) for r in rows)
    return "one seed" if count == 1 else f"{count} seeds"


def print_experiment(name, rows):
    experiment = reproduce_plan.read(EXPERIMENTS / f"{name}{reproduce_plan.SUFFIX}")
    print(f"## {experiment.title}\n")
    print(f"`configs/reproduce/{experiment.config.name}`, {seeds(rows)}."
          f" Source: {experiment.source}.\n")
    print("| run | figure | accepted | ours | verdict |\n|---|---|---|---|---|")
    reasons = []
    for r in rows:
        verdict = r["verdict"]
        if verdict == "outside, explained":
            if r["reason"] not in reasons:
                reasons.append(r["reason"])
            verdict = f"outside ({reasons.index(r['reason']) + 1})"
        print(f"| {cell(r['run'])} | {cell(r['figure'])} | {cell(r['accepted'])} |"
              f" {ours(r['ours'])} | {verdict} |")
    print()
    for i, reason in enumerate(reasons):
        print(f"({i + 1}) {reason}\n")


def texts_of(records):
    """{experiment: its section}"""
    texts = {}
    for name, rows in records.items():
        with contextlib.redirect_stdout(io.StringIO()) as text:
            print_experiment(name, rows)
        texts[name] = text.getvalue()
    return texts


def sections_of(page):
    """{title: text} of a page as main() prints it."""
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.split("\n", 1)[0]: "## " + part.rstrip("\n") + "\n\n" for part in parts}


def kept(page):
    """{experiment: its section} of the page, of experiments that are still there."""
    old = sections_of(page)
    files = reproduce_plan.find(EXPERIMENTS)
    titles = {e.name: e.title for e in map(reproduce_plan.read, files)}
    return {name: old[title] for name, title in titles.items() if title in old}


def verdicts_of(text):
    """Of a section's rows, without the numbers of their reasons."""
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [row.rsplit("|", 2)[1].strip().split(" (")[0] for row in rows]


ORDERS = "Orders among experiments"


def orders_text(records, page):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        print_orders(records)
    return text.getvalue() or (sections_of(page).get(ORDERS, "") if page else "")


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    if arguments[0] == "--orders":
        return 0 if print_orders(load(arguments[1:])) else 1
    page = pathlib.Path(arguments[1]) if arguments[0] == "--onto" and len(arguments) > 1 else None
    records = load(arguments[2:] if page else arguments)
    texts = {**(kept(page) if page else {}), **texts_of(records)}
    verdicts = [verdict for text in texts.values() for verdict in verdicts_of(text) if verdict != "-"]
    inside, explained = verdicts.count("inside"), verdicts.count("outside")
    whole = (f"{INTRODUCTION}\nOf {len(verdicts)} figures with a bound, {inside} are inside, {explained} outside with"
             f" a reason, {len(verdicts) - inside - explained} outside without one or missing.\n\n"
             + orders_text(records, page) + "".join(texts[name] for name in sorted(texts)))
    if page:
        page.write_text(whole.rstrip("\n") + "\n", encoding="utf-8")
    else:
        print(whole.rstrip("\n"))
    return 0
