"""Computes the use of the link and the shares of flows in short windows of time, from flow_rates.csv."""

import math

from dccvp.common.columns import rows_of
from dccvp.common.quantity import number


def seconds(value):
    return 0.0 if value is None else number(value)


def lives(platform):
    """Returns [(start, stop)] of every flow in s; None for a platform whose traffic does not consist of single
    flows only."""
    traffic = platform.get("traffic") or []
    if not all(isinstance(t, dict) and t.get("kind") == "flow" and "flows" not in t for t in traffic):
        return None
    return [(seconds(t.get("start")), number(t["stop"]) if "stop" in t else math.inf) for t in traffic]


def left_before(platform, moment):
    """Returns the numbers of the flows that have stopped by a moment (in s)."""
    return {i for i, (_, stop) in enumerate(lives(platform) or []) if stop <= moment}


def by_step(series, interval):
    """Returns the goodput of the flows in each interval of a series: [{flow: Gb/s}, …], from time 0 on."""
    steps = []
    for row in rows_of(series):
        step = round(float(row["t_s"]) / interval) - 1
        if step < 0:
            continue
        steps.extend({} for _ in range(step + 1 - len(steps)))
        steps[step][int(row["flow"])] = float(row["goodput_gbps"])
    return steps


def windows(count, interval, start, length):
    """Returns index ranges of the intervals in consecutive windows of `length` s from `start` on, without an
    incomplete last window."""
    first, size = math.ceil(start / interval - 1e-6), max(1, round(length / interval))
    return [range(at, at + size) for at in range(first, count - size + 1, size)]


def motion_figures(motion, platform, weights, ceiling, series):
    """Returns these figures: use_least: least use of the link in a window. windows_every and windows_rms: fraction
    of the windows in which every share, or the root mean square error, is within the tolerance; a window counts
    only flows that live through the window."""
    interval = motion["interval"]
    steps = by_step(series, interval)
    use = [sum(sum(steps[i].values()) for i in window) / len(window) / ceiling
           for window in windows(len(steps), interval, motion["use_from"], motion["use_window"])]
    alive = lives(platform) or [(0.0, math.inf)] * len(weights)
    every, square = [], []
    for window in windows(len(steps), interval, motion["shares_from"], motion["share_window"]):
        begin, end = window.start * interval, (window.stop) * interval
        there = [i for i, (start, stop) in enumerate(alive)
                 if start <= begin + interval / 2 and stop >= end - interval / 2]
        goodput = [sum(steps[i].get(flow, 0.0) for i in window) for flow in there]
        total, weight = sum(goodput), sum(weights[flow] for flow in there)
        errors = [g / total * weight / weights[flow] - 1 if total else -1.0 for g, flow in zip(goodput, there)]
        every.append(max(abs(e) for e in errors) <= motion["tolerance"])
        square.append(math.sqrt(sum(e * e for e in errors) / len(errors)) <= motion["tolerance"])
    return {"use_least": min(use, default=math.nan),
            "windows_every": sum(every) / len(every) if every else math.nan,
            "windows_rms": sum(square) / len(square) if square else math.nan}
