"""What became of a figure: its values over the seeds, and the verdict."""

import csv
import dataclasses
import re

from dccvp.common.statistics import mean, percentile
from dccvp.experiments import metric_path

INSIDE = "inside"
EXPLAINED = "outside, explained"  # with the reason given
OUTSIDE = "OUTSIDE"
MISSING = "MISSING"  # a run failed, or has no such value
SHOWN = "-"          # no published value: for the reader

SMALL_BYTES = 10_000
TIMES = "times of flows"  # among a run's metrics: bytes and microseconds of each


REDUCED = re.compile(r"(min|mean|p[0-9]{1,2}(?:\.[0-9]+)?)\((.+)\)")


def reduced_at(metrics, text):
    """Of the numbers that a dotted path leads to, true as 1, the one that is asked for: the greatest, or
    as min(PATH), mean(PATH) or a percentile, such as p50(PATH), says. None where there is none."""
    match = REDUCED.fullmatch(text)
    path = match[2] if match else text
    found = [metrics]
    for step in path.split("."):
        reached = []
        for value in found:
            try:
                reached += metric_path.follow(value, step)
            except metric_path.Missing:
                pass
        found = reached
    numbers = [float(v) for v in found if isinstance(v, (int, float))]
    if not numbers:
        return None
    if match is None:
        return max(numbers)
    if match[1] == "min":
        return min(numbers)
    return mean(numbers) if match[1] == "mean" else percentile(numbers, float(match[1][1:]))


def figure_value(metrics, figure):
    """A value of metrics.json as the figure asks for it; None: there is no such number."""
    if figure.sizes is not None:
        metrics = {"sized": times_between(metrics.get(TIMES, []), *figure.sizes)}
    path, _, divisor_path = figure.value.partition(" / ")
    value = reduced_at(metrics, path)
    if value is not None and divisor_path:
        divisor = reduced_at(metrics, divisor_path)
        if not divisor:
            return None
        value /= divisor
    return None if value is None else value / figure.per


def figure_values(mine, figure, runs_above):
    """A figure's values, one for each of a run's results (None: it failed) that has one. `runs_above`: the
    results of the runs above, by name and in the same order of seeds."""
    values = []
    for seed, metrics in enumerate(mine):
        value = None if metrics is None else figure_value(metrics, figure)
        if value is not None and figure.over:
            other = runs_above[figure.over][seed]
            divisor = None if other is None else figure_value(other, figure)
            value = value / divisor if divisor else None
        if value is not None:
            values.append(value)
    return values


def inside(figure, value):
    if figure.within is not None and abs(value - figure.published) > figure.within:
        return False
    if figure.within_share is not None and \
            abs(value - figure.published) > figure.within_share * abs(figure.published):
        return False
    if figure.at_most is not None and value > figure.at_most:
        return False
    return figure.at_least is None or value >= figure.at_least


@dataclasses.dataclass
class Judgement:
    figure: object
    values: list  # one a seed
    verdict: str

    @property
    def mean(self):
        return mean(self.values)


def judge(figure, values, seeds):
    """Judges the mean of the seeds; with fewer values than seeds the figure is missing."""
    if len(values) < seeds or not values:
        verdict = MISSING
    elif all(bound is None for bound in (figure.within, figure.within_share, figure.at_most,
                                         figure.at_least)):
        verdict = SHOWN
    elif inside(figure, mean(values)):
        verdict = INSIDE
    else:
        verdict = EXPLAINED if figure.reason else OUTSIDE
    return Judgement(figure, values, verdict)


def times_of(rows):
    """What there is to say of completion times; `rows`: pairs of bytes and microseconds."""
    times = [time for _, time in rows]
    if not times:
        return {}
    return {"flows": len(times), "fct_us_mean": mean(times), "fct_us_p50": percentile(times, 50),
            "fct_us_p99": percentile(times, 99), "fct_us_p999": percentile(times, 99.9)}


def times_between(rows, least, most):
    return times_of([row for row in rows if least <= row[0] <= most])


def add_times(metrics, folder):
    """Completion times of completed flows, from flows.csv: those of all for figures with `bytes`, and
    metrics["small_flows"] of flows up to 10 KB, where there are such."""
    rows = []
    try:
        with open(folder / "flows.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                size, time = row.get("bytes"), row.get("fct_s")
                if size and time:
                    rows.append((int(size), float(time) * 1e6))
    except FileNotFoundError:
        return
    if rows:
        metrics[TIMES] = rows
    small = times_between(rows, 0, SMALL_BYTES)
    if small:
        metrics["small_flows"] = small
