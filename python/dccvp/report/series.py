"""Thins series for charts without losing peaks.

All lines of a chart share a time axis. If a line has more samples than the chart can show, each interval of
neighbouring samples becomes two points: the least and the greatest value, in their order."""

from dccvp.common.columns import MOST_LINES
from dccvp.report.run_folder import FLOW_COLUMNS

STRETCHES = 250  # Number of intervals over which flows are averaged before their spread is computed.
POINTS_OF_A_REPORT = 500_000


def rounded(value):
    return None if value is None else float(f"{value:.5g}")


def thinned(times, lines, most):
    """Returns (times, lines, samples per interval) with about `most` points a line or fewer; 1 sample per interval:
    all samples are kept."""
    size = -(-2 * len(times) // most) if len(times) > most else 1
    if size <= 1:
        return times, lines, 1
    starts = range(0, len(times), size)
    out_times = []
    for start in starts:
        end = min(start + size, len(times))
        out_times += [times[start], times[(start + end) // 2] if end - start > 1 else times[start]]
    out_lines = []
    for line in lines:
        out = []
        for start in starts:
            known = [(v, i) for i, v in enumerate(line[start:start + size]) if v is not None]
            if not known:
                out += [None, None]
                continue
            low, high = min(known), max(known)
            out += [low[0], high[0]] if low[1] <= high[1] else [high[0], low[0]]
        out_lines.append(out)
    return out_times, out_lines, size


def by_key(columns, key, values):
    """Returns (sorted times, {value of the column `key`: {column: values at these times}})."""
    times = sorted(set(columns["t_s"]))
    place = {t: i for i, t in enumerate(times)}
    parts = {}
    wanted = [(name, columns[name]) for name in values]
    for row, (t, name) in enumerate(zip(columns["t_s"], columns[key])):
        part = parts.get(name)
        if part is None:
            part = parts[name] = {column: [None] * len(times) for column in values}
        at = place[t]
        for column, cells in wanted:
            part[column][at] = cells[row]
    return times, parts


def chart(times, lines, labels, colours, most, **more):
    times, lines, size = thinned(times, lines, most)
    return {"x": [float(f"{t:.9g}") for t in times], "step": size,
            "lines": [{"label": label, "colour": colour, "y": [rounded(v) for v in line]}
                      for line, label, colour in zip(lines, labels, colours)], **more}


def class_chart(run, colour_of, most):
    columns = run.class_series
    if not columns.get("t_s"):
        return None
    times, parts = by_key(columns, "dscp", ("goodput_gbps",))
    dscps = sorted(parts)
    return chart(times, [parts[d]["goodput_gbps"] for d in dscps], [f"DSCP {d:g}" for d in dscps],
                 [colour_of(d) for d in dscps], most)


def queue_chart(run, most, most_ports=8):
    columns = run.queue_series
    if not columns.get("t_s"):
        return None
    times, parts = by_key(columns, "port", ("bytes",))
    totals = {port: sum(v or 0 for v in part["bytes"]) for port, part in parts.items()}
    busiest = sorted(parts, key=lambda port: (-totals[port], port))
    shown = [p for p in busiest[:most_ports] if totals[p] > 0] or busiest[:1]
    return chart(times, [parts[p]["bytes"] for p in shown], shown, range(len(shown)), most,
                 sampled=len(parts))


def flow_charts(run, colour_of, most):
    """Returns a chart for each column: a line for each flow, or, with many flows, the spread of each class."""
    columns = run.rate_series
    if not columns.get("t_s"):
        return {}
    times, parts = by_key(columns, "flow", FLOW_COLUMNS)
    dscp_of = {f: d for f, d in zip(run.flows.get("id", []), run.flows.get("dscp", []))}
    charts = {}
    for column in FLOW_COLUMNS:
        if all(v is None or v == 0 for part in parts.values() for v in part[column]):
            continue
        if len(parts) <= MOST_LINES:
            flows = sorted(parts)
            single = len({dscp_of.get(f) for f in flows}) == 1
            charts[column] = chart(
                times, [parts[f][column] for f in flows],
                [f"flow {f:g}" + ("" if single else f", DSCP {dscp_of.get(f, 0):g}") for f in flows],
                [i if single else colour_of(dscp_of.get(f)) for i, f in enumerate(flows)], most)
        else:
            charts[column] = spread_chart(times, parts, column, dscp_of, colour_of)
    return charts


def spread_chart(times, parts, column, dscp_of, colour_of):
    size = max(1, -(-len(times) // STRETCHES))
    starts = range(0, len(times), size)
    classes = {}
    for flow, part in parts.items():
        classes.setdefault(dscp_of.get(flow), []).append(part[column])
    lines = []
    for dscp in sorted(classes, key=lambda d: -1 if d is None else d):
        spread = {"mean": [], "p5": [], "p95": [], "least": [], "greatest": []}
        for start in starts:
            means, lows, highs = [], [], []
            for line in classes[dscp]:
                known = [v for v in line[start:start + size] if v is not None]
                if known:
                    means.append(sum(known) / len(known))
                    lows.append(min(known))
                    highs.append(max(known))
            means.sort()
            last = len(means) - 1
            spread["mean"].append(rounded(sum(means) / len(means)) if means else None)
            spread["p5"].append(rounded(means[int(0.05 * last)]) if means else None)
            spread["p95"].append(rounded(means[-1 - int(0.05 * last)]) if means else None)
            spread["least"].append(rounded(min(lows, default=None)))
            spread["greatest"].append(rounded(max(highs, default=None)))
        name = f"DSCP {dscp:g}" if dscp is not None else "flows"
        lines.append({"label": f"{name}: mean of {len(classes[dscp])} flows",
                      "colour": colour_of(dscp), "y": spread["mean"], "band":
                      [spread["p95"], spread["p5"]], "range": [spread["greatest"], spread["least"]]})
    middles = [times[min(start + size // 2, len(times) - 1)] for start in starts]
    return {"x": [float(f"{t:.9g}") for t in middles], "step": size, "spread": True, "lines": lines}


def charts_of(run, colour_of, runs):
    """Returns {name: chart} of a run in a report about `runs` runs; None instead of a chart with fewer than two
    samples."""
    flows = len(set(run.rate_series.get("flow", ())))
    lines = 16 + 4 * min(flows, MOST_LINES)
    most = max(200, min(4000, POINTS_OF_A_REPORT // (lines * runs)))
    charts = {"class": class_chart(run, colour_of, most), "queue": queue_chart(run, most)}
    charts.update(flow_charts(run, colour_of, most))
    return {name: c if len(c["x"]) > 1 else None for name, c in charts.items() if c}
