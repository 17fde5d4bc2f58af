"""Slowdowns of a study by size of flow: the figures of a run, and the quotients of two variants' medians."""

import math

from dccvp.common import text_table
from dccvp.common.statistics import confidence, mean
from dccvp.experiments.results import write_csv as write_rows

LEAST_FLOWS = 20  # A median of fewer flows is left out.
HEAD = ("variant", "case", "size", "flows", "p50", "against", "quotient", "half", "worst")


def slowdown_figures(metrics):
    together = metrics["slowdown"]["all"]
    return {"slowdown_mean": math.nan if together is None else together["mean"],
            "unfinished": metrics["flow_count"] - metrics["flows_completed"]}


def size_name(size):
    """Returns the name of a bin: its upper edge, or its lower one if it has no other."""
    def short(number):
        power = (len(str(number)) - 1) // 3
        return f"{number / 1000**power:g} {('B', 'KB', 'MB', 'GB', 'TB')[power]}"

    most = size["up_to_bytes"]
    return f"over {short(size['above_bytes'])}" if most is None else f"to {short(most)}"


def by_size(metrics):
    """Returns {name of a bin: {flows, p50}} of the flows that have ended, in order of size."""
    return {size_name(size): {"flows": size["flows"], "p50": size["p50"]} for size in metrics["slowdown"]["bins"]
            if size["flows"] >= LEAST_FLOWS}


def quotients(rows, case, variant, against):
    """Yields for each bin that all seeds of both variants have: its name, flows and medians of the variant, medians
    of the other, seed by seed."""
    def of(name):
        return {row["seed"]: row["by_size"] for row in rows if (row["variant"], row["case"]) == (name, case)}

    mine, theirs = of(variant), of(against)
    first = next(iter(mine.values()), {})
    for size in first:
        if all(size in seeds for seeds in (*mine.values(), *theirs.values())):
            yield (size, sum(seed[size]["flows"] for seed in mine.values()),
                   [seed[size]["p50"] for seed in mine.values()], [theirs[seed][size]["p50"] for seed in mine])


def greatest(plan, rows, case, variant):
    """Returns the greatest quotient, over the bins, of a variant's medians and those of plan.against: the mean over
    the seeds. NaN without another variant."""
    if plan.against not in plan.variants:
        return math.nan
    return max((mean([a / b for a, b in zip(mine, theirs)])
                for _, _, mine, theirs in quotients(rows, case, variant, plan.against)), default=math.nan)


def compared(plan, rows):
    """Returns a line for each bin of each case of the variants that are compared with plan.against."""
    lines = []
    for case in plan.cases if plan.against in plan.variants else ():
        for variant in plan.variants:
            if variant == plan.against:
                continue
            for size, flows, mine, theirs in quotients(rows, case, variant, plan.against):
                each = [a / b for a, b in zip(mine, theirs)]
                lines.append({"variant": variant, "case": case, "size": size, "flows": flows, "p50": mean(mine),
                              "against": mean(theirs), "quotient": mean(each), "half": confidence(each),
                              "worst": max(each)})
    return lines


def write_csv(path, lines):
    write_rows(path, HEAD, [{name: f"{value:.6g}" if isinstance(value, float) else value
                             for name, value in line.items()} for line in lines])


def markdown(lines):
    """Returns a table with a column for each bin: the quotient of the medians and, in parentheses, that of the
    worst seed."""
    if not lines:
        return ""
    sizes = list(dict.fromkeys(line["size"] for line in lines))
    cells: dict = {}
    for line in lines:
        cells.setdefault((line["case"], line["variant"]), {})[line["size"]] = (
            f"{line['quotient']:.2f} ({line['worst']:.2f})")
    text = ["", "Quotients of the medians by size of flow: mean of the seeds (worst seed).", "",
            *text_table.markdown(("case", "variant", *sizes), [(*of, *(found.get(size, "") for size in sizes))
                                                               for of, found in cells.items()])]
    return "\n".join(text) + "\n"
