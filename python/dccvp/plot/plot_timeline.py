"""Draws timeline.png: the computations, sends and receives of each host over time, and the critical path."""

import collections
import os

from dccvp.common.columns import rows_of
from dccvp.common.pictures import COLOURS, INK, PALE, plt

MOST_NAMED = 24  # Greatest number of hosts that each get a label.
MOST_STEPS = 20_000  # Greatest number of critical-path steps drawn, more than the picture's width in pixels.


def united(intervals):
    """Returns the union of intervals as disjoint intervals (begin, end), sorted by time."""
    found = []
    for begin, end in sorted(intervals):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


def read_timeline(path, until):
    """Reads timeline.csv; returns ({host: [intervals]} of computations, of sending, of receiving; critical steps
    (kind, from, to, begin, end)). Activities without an end last `until` the end of the run."""
    kinds = [collections.defaultdict(list) for _ in range(3)]
    critical = []
    for row in rows_of(path):
        if not row["start_s"]:
            continue
        source, target = int(row["from"]), int(row["to"])
        begin = float(row["start_s"])
        span = (begin, float(row["end_s"]) if row["end_s"] else until)
        if row["kind"] == "compute":
            kinds[0][source].append(span)
        else:
            kinds[1][source].append(span)
            kinds[2][target].append(span)
        if row["critical"] == "1":
            critical.append((row["kind"], source, target, *span))
    critical.sort(key=lambda step: step[3])
    return kinds, critical


def plot_timeline(folder, metrics, title, time_axis, save):
    """Draws the timeline of a run. `time_axis`, `save`: the functions of plot_run."""
    path = os.path.join(folder, "timeline.csv")
    if not os.path.exists(path):
        return
    kinds, critical = read_timeline(path, metrics["sim_time_s"])
    hosts = sorted(set().union(*kinds))
    if not hosts:
        return
    place_of = {host: place for place, host in enumerate(hosts)}
    figure, axes = plt.subplots(figsize=(11, min(2.2 + 0.28 * len(hosts), 14)))
    ends = [end for kind in kinds for spans in kind.values() for _, end in spans]
    factor = time_axis(axes, ends)
    # Each host has three lanes: computing above, sending in the middle, receiving below.
    lanes = (("computes", COLOURS[0], -0.4, 0.34), ("sends", COLOURS[1], -0.04, 0.2),
             ("receives", COLOURS[2], 0.18, 0.2))
    for spans_of, (name, colour, above, height) in zip(kinds, lanes):
        for number, (host, spans) in enumerate(sorted(spans_of.items())):
            bars = [(begin * factor, (end - begin) * factor) for begin, end in united(spans)]
            axes.broken_barh(bars, (place_of[host] + above, height), facecolors=colour, linewidth=0,
                             label=name if number == 0 else None)
    steps = critical[:MOST_STEPS]
    if steps:
        times = [t * factor for _, _, _, begin, end in steps for t in (begin, end)]
        rows = [place_of[host] for _, source, target, _, _ in steps for host in (source, target)]
        axes.plot(times, rows, color=INK, linewidth=0.9, label="critical path", zorder=4)
    every = -(-len(hosts) // MOST_NAMED)
    axes.set_yticks([place_of[host] for host in hosts[::every]], [f"host {host}" for host in hosts[::every]])
    axes.set_ylim(len(hosts) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    found = metrics["dependencies"]
    done = "not all ended" if found["completion_s"] is None else f"all done in {found['completion_s'] * 1e3:.4g} ms"
    exposed = found["exposed_s_mean"]
    axes.set_title(f"Timeline: {done}, exposed communication {(exposed or 0) * 1e3:.4g} ms in the mean")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9, labelcolor=PALE)
    save(figure, folder, "timeline.png", title)
