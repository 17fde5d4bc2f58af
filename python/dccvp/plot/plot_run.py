"""Draws the pictures of a run into its folder.

  tool.py plot-run DIR

classes.png     goodput of every class over time, and its share against the expected one
flow_rates.png  allowed rate (on the wire) and goodput of every flow
queues.png      lengths of the sampled egress queues over time
slowdown.png    flow completion times against the empty network, by flow size
timeline.png    what each host computes, sends and receives, where flows wait for others
"""

import json
import math
import os
import sys

from dccvp.common.columns import MOST_LINES, read_columns

try:
    from dccvp.common.pictures import COLOURS, GRID, INK, PALE, plt
    from dccvp.plot.plot_timeline import plot_timeline
except ImportError:
    sys.exit("python3-matplotlib is not installed")

MOST_LABELS = 8
STRETCHES = 50  # Number of intervals over which flows are averaged before their spread is shown.

plt.rcParams.update({
    "figure.facecolor": "white", "axes.facecolor": "white", "savefig.facecolor": "white",
    "font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.edgecolor": PALE, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": GRID,
    "grid.linewidth": 0.7, "lines.linewidth": 1.4, "savefig.dpi": 110, "axes.axisbelow": True,
})


def split_by(columns, key):
    """Returns {value of column `key`: {column: list}} in order of first appearance."""
    parts = {}
    for i, value in enumerate(columns[key]):
        part = parts.setdefault(value, {name: [] for name in columns})
        for name, column in columns.items():
            part[name].append(column[i])
    return parts


def time_axis(axes, seconds):
    """Labels the axis in us, ms or s; returns the factor."""
    longest = max(seconds) if seconds else 0.0
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if longest * factor >= 2:
            break
    axes.set_xlabel(f"simulated time ({unit})")
    axes.set_xlim(0, longest * factor if longest else 1)
    return factor


def thin(values, most=4000):
    """Returns at most `most` evenly spaced elements; the default exceeds the picture's width in pixels."""
    step = max(1, math.ceil(len(values) / most))
    return values[::step]


def averaged(times, values, most=400):
    """Returns means over at most `most` equal intervals of time, since single samples contain only a few packets."""
    group = max(1, math.ceil(len(values) / most))
    stretches = [(times[i:i + group], values[i:i + group]) for i in range(0, len(values), group)]
    return ([sum(t) / len(t) for t, _ in stretches], [sum(v) / len(v) for _, v in stretches])


def told_if_empty(axes, series):
    """Writes a note on the axes if a series has fewer than two samples; returns true in this case."""
    if len(set(series["t_s"])) < 2:
        axes.text(0.5, 0.5, "fewer than two samples: output.series.interval\nis too long for this run",
                  transform=axes.transAxes, ha="center", va="center", color=PALE)


def label_lines(axes, labels):
    """Writes names at the right ends of lines, moved apart where they would overlap."""
    low, high = axes.get_ylim()
    gap = (high - low) * 0.055
    placed = []
    for y, text, colour in sorted(labels, key=lambda label: label[0]):
        at = max(y, placed[-1] + gap) if placed else y
        placed.append(at)
        axes.annotate(text, xy=(1.0, at), xycoords=("axes fraction", "data"), xytext=(6, 0),
                      textcoords="offset points", color=colour, va="center", fontsize=9,
                      annotation_clip=False)


def shade_window(axes, metrics, factor):
    window = metrics["measure"]
    axes.axvspan(window["from_s"] * factor, window["to_s"] * factor, color="#F4F1E8", zorder=0,
                 linewidth=0)


def save(figure, folder, name, title):
    above = figure.subplotpars.top + 0.42 / figure.get_figheight()
    figure.suptitle(title, x=0.01, y=above, va="bottom", ha="left", fontsize=9, color=PALE)
    figure.savefig(os.path.join(folder, name), bbox_inches="tight")
    plt.close(figure)


def mean_of_last(values, share=0.2):
    last = [v for v in values[-max(1, int(len(values) * share)):] if not math.isnan(v)]
    return sum(last) / len(last) if last else 0.0


def plot_classes(folder, metrics, series, title):
    classes = metrics["classes"]
    if not classes:
        return
    colour = {c["dscp"]: COLOURS[i % len(COLOURS)] for i, c in enumerate(classes)}
    figure, (over_time, shares) = plt.subplots(
        1, 2, figsize=(11.5, 4), gridspec_kw={"width_ratios": [3, 2], "wspace": 0.68})
    factor = time_axis(over_time, series["t_s"])
    shade_window(over_time, metrics, factor)
    labels = []
    for dscp, part in split_by(series, "dscp").items():
        over_time.plot(*averaged([t * factor for t in part["t_s"]], part["goodput_gbps"]),
                       color=colour.get(int(dscp), PALE))
        labels.append((mean_of_last(part["goodput_gbps"]), f"DSCP {int(dscp)}",
                       colour.get(int(dscp), PALE)))
    told_if_empty(over_time, series)
    over_time.set_ylim(bottom=0)
    over_time.set_ylabel("goodput (Gb/s)")
    over_time.set_title("Goodput by class")
    label_lines(over_time, labels[:MOST_LABELS])

    names = [f"DSCP {c['dscp']}\nweight {c['weight']:g}, {c['flows']} flow"
             f"{'s' if c['flows'] != 1 else ''}" for c in classes]
    places = range(len(classes))
    shares.barh(places, [100 * (c["share"] or 0) for c in classes],
                color=[colour[c["dscp"]] for c in classes], height=0.55)
    for place, c in zip(places, classes):
        text = f"{100 * (c['share'] or 0):.1f} %"
        if c["expected_share"] is not None:
            expected = 100 * c["expected_share"]
            shares.plot([expected, expected], [place - 0.38, place + 0.38], color=INK, linewidth=2)
            text += f" (expected {expected:.1f} %)"
        end = 100 * max(c["share"] or 0, c["expected_share"] or 0)
        shares.annotate(text, xy=(end, place), xytext=(5, 0), textcoords="offset points",
                        va="center", fontsize=9, color=INK)
    shares.set_yticks(list(places), names)
    shares.set_ylim(max(len(classes), 3) - 0.5, -0.5)
    shares.grid(axis="y", visible=False)
    shares.set_xlim(0, max(100 * max(c["share"] or 0, c["expected_share"] or 0)
                           for c in classes) * 1.75 or 1)
    shares.set_xticks([tick for tick in (0, 25, 50, 75, 100) if tick <= shares.get_xlim()[1]])
    shares.set_xlabel("share of goodput in the window (%)")
    shares.set_title("Share, and what the weights ask for (line)")
    save(figure, folder, "classes.png", title)


def plot_flow_rates(folder, metrics, series, title):
    if not series["t_s"]:
        return
    parts = split_by(series, "flow")
    if metrics["flows"] is None:  # the run kept no list of flows, so the classes of flows are not known
        flows: dict[int, dict] = {int(flow): {"dscp": None} for flow in parts}
    else:
        flows = {f["id"]: f for f in metrics["flows"]}
    dscps = sorted({f["dscp"] for f in flows.values()})
    figure, panels = plt.subplots(2, 1, figsize=(9, 7), sharex=True, gridspec_kw={"hspace": 0.18})
    columns = (("rate_gbps", "allowed rate (Gb/s, wire)"), ("goodput_gbps", "goodput (Gb/s)"))
    for axes, (column, name) in zip(panels, columns):
        factor = time_axis(axes, series["t_s"])
        shade_window(axes, metrics, factor)
        labels = draw_flows(axes, parts, flows, dscps, column, factor)
        told_if_empty(axes, series)
        axes.set_ylim(bottom=0)
        axes.set_ylabel(name)
        label_lines(axes, labels)
    panels[0].set_xlabel("")
    panels[0].set_title("Flows: what the controller allows" if len(parts) <= MOST_LINES else
                        f"Flows{' by class' if metrics['flows'] else ''}: mean, and the range of nine tenths of them")
    panels[1].set_title("… and what arrives")
    save(figure, folder, "flow_rates.png", title)


def add_means(by_stretch, times, values, length):
    """Adds the mean of a flow over each interval of time to {interval: [means of flows]}."""
    own = {}
    for t, value in zip(times, values):
        own.setdefault(int(t / length), []).append(value)
    for stretch, samples in own.items():
        by_stretch.setdefault(stretch, []).append(sum(samples) / len(samples))


def draw_flows(axes, parts, flows, dscps, column, factor):
    def colour_of(flow):
        dscp = flows[int(flow)]["dscp"] if int(flow) in flows else None
        return COLOURS[dscps.index(dscp) % len(COLOURS)] if dscp in dscps else PALE

    labels = []
    if len(parts) <= MOST_LINES:
        for i, (flow, part) in enumerate(sorted(parts.items())):
            single = len(dscps) == 1
            colour = COLOURS[i % len(COLOURS)] if single else colour_of(flow)
            axes.plot(*averaged([t * factor for t in part["t_s"]], part[column]), color=colour,
                      alpha=0.85, linewidth=1.1)
            if single and len(parts) <= MOST_LABELS:
                labels.append((mean_of_last(part[column]), f"flow {int(flow)}", colour))
        if len(dscps) > 1:
            for i, dscp in enumerate(dscps):
                last = [mean_of_last(part[column]) for flow, part in parts.items()
                        if int(flow) in flows and flows[int(flow)]["dscp"] == dscp]
                if last:
                    labels.append((sum(last) / len(last), f"DSCP {dscp}",
                                   COLOURS[i % len(COLOURS)]))
        return labels
    longest = max(max(part["t_s"]) for part in parts.values()) * (1 + 1e-9)
    for i, dscp in enumerate(dscps):
        by_stretch = {}
        for flow, part in parts.items():
            if int(flow) in flows and flows[int(flow)]["dscp"] == dscp:
                add_means(by_stretch, part["t_s"], part[column], longest / STRETCHES)
        if not by_stretch:
            continue
        stretches = sorted(by_stretch)
        times = [(stretch + 0.5) * longest / STRETCHES for stretch in stretches]
        columns = [sorted(by_stretch[stretch]) for stretch in stretches]
        mean = [sum(c) / len(c) for c in columns]
        colour = COLOURS[i % len(COLOURS)]
        axes.fill_between([t * factor for t in times], [c[int(0.05 * (len(c) - 1))] for c in columns],
                          [c[int(0.95 * (len(c) - 1))] for c in columns], color=colour, alpha=0.18,
                          linewidth=0)
        axes.plot([t * factor for t in times], mean, color=colour)
        labels.append((mean_of_last(mean), "all flows" if dscp is None else f"DSCP {dscp}", colour))
    return labels


def plot_queues(folder, metrics, series, title):
    if not series["t_s"]:
        return
    figure, axes = plt.subplots(figsize=(9, 3.8))
    factor = time_axis(axes, series["t_s"])
    shade_window(axes, metrics, factor)
    top = max(series["bytes"]) or 1
    unit, scale = ("MB", 1e-6) if top >= 2e6 else ("KB", 1e-3)
    parts = sorted(split_by(series, "port").items(), key=lambda item: -sum(item[1]["bytes"]))
    labels = []
    figures = {q["port"]: q for q in metrics["queues"]}
    for i, (port, part) in enumerate(parts[:MOST_LABELS]):
        values = [b * scale for b in part["bytes"]]
        axes.plot(thin([t * factor for t in part["t_s"]]), thin(values), linewidth=0.9,
                  color=COLOURS[i % len(COLOURS)])
        text = port
        if i == 0 and port in figures:
            mean = figures[port]["mean_bytes"] * scale
            axes.axhline(mean, color=INK, linewidth=1, linestyle=(0, (4, 3)))
            text += f"\nmean {mean:.1f} {unit}"
        labels.append((mean_of_last(values), text, COLOURS[i % len(COLOURS)]))
    told_if_empty(axes, series)
    axes.set_ylim(bottom=0)
    axes.set_ylabel(f"queue length ({unit})")
    axes.set_title("Egress queues")
    label_lines(axes, labels)
    save(figure, folder, "queues.png", title)


def plot_slowdown(folder, metrics, title):
    bins = metrics["slowdown"]["bins"]
    if len(bins) < 2:
        return
    figure, axes = plt.subplots(figsize=(8, 4))
    names = []
    for b in bins:
        limit = b["up_to_bytes"]
        names.append("larger" if limit is None else
                     f"≤ {limit / 1e6:g} MB" if limit >= 1e6 else f"≤ {limit / 1e3:g} KB")
    places = list(range(len(bins)))
    labels = []
    for colour, (key, name) in zip(COLOURS, (("p50", "median"), ("p95", "95th percentile"),
                                             ("p99", "99th percentile"))):
        values = [b[key] for b in bins]
        axes.plot(places, values, marker="o", markersize=4, color=colour)
        labels.append((math.log10(values[-1]), name, colour, values[-1]))
    axes.set_yscale("log")
    axes.set_xticks(places, names, rotation=30, ha="right")
    for _, name, colour, y in labels:
        axes.annotate(name, xy=(places[-1], y), xytext=(8, 0), textcoords="offset points",
                      color=colour, va="center", fontsize=9, annotation_clip=False)
    axes.set_ylabel("completion time / empty network")
    axes.set_xlabel("flow size (payload)")
    axes.set_title("Slowdown by flow size")
    save(figure, folder, "slowdown.png", title)


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    folder = arguments[0]
    with open(os.path.join(folder, "metrics.json"), encoding="utf-8") as file:
        metrics = json.load(file)
    total = metrics["aggregate"]
    jain = total["jain"]
    title = (f"{metrics['sim_time_s'] * 1e3:g} ms simulated · {metrics['flow_count']} flows · "
             f"goodput {total['goodput_gbps']:.2f} Gb/s · "
             f"Jain {'–' if jain is None else format(jain, '.4f')} · {total['drops']} drops · "
             f"shaded: measured window")
    series = os.path.join(folder, "series")
    plot_classes(folder, metrics, read_columns(os.path.join(series, "class.csv")), title)
    plot_flow_rates(folder, metrics, read_columns(os.path.join(series, "flow_rates.csv")), title)
    plot_queues(folder, metrics, read_columns(os.path.join(series, "queue.csv")), title)
    plot_slowdown(folder, metrics, title)
    plot_timeline(folder, metrics, title, time_axis, save)
