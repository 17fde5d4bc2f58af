"""Draws completion times of several runs in one picture: distributions by flow size, and slowdown over the size."""

import bisect
import math

from dccvp.common.columns import read_columns
from dccvp.common.statistics import percentile
from dccvp.report.html_text import escape, size_text

# Panels of the distributions: (greatest size in bytes, title).
SIZES = ((10e3, "up to 10 KB"), (100e3, "10 KB to 100 KB"), (1e6, "100 KB to 1 MB"), (math.inf, "above 1 MB"))
EDGES = (0, 1e3, 3e3, 10e3, 30e3, 100e3, 300e3, 1e6, 3e6, 10e6)  # Edges in bytes of the size bins of metrics.json.
MOST_STEPS = 200     # Greatest number of steps in a drawn curve.
LEAST_FLOWS = 10     # A quantile is drawn only if at least this number of flows lies beyond it.
WIDTH, HEIGHT, LEFT, BOTTOM = 400, 230, 46, 36


COLUMNS = ("start_s", "bytes", "fct_s", "fct_rx_s", "slowdown")


class Flows:
    """The completed flows of one or more runs that began within `measure`: sizes in bytes, times in microseconds,
    slowdowns (None: not known)."""

    def __init__(self, label):
        self.label = label
        self.sizes, self.times, self.slowdowns = [], [], []

    def add(self, columns, metrics):
        """Adds the flows of a run: the columns of its flows.csv and its metrics."""
        window = metrics["measure"]
        count = len(columns.get("bytes", []))
        for start, size, time, received, slowdown in zip(*(columns.get(name, [None] * count) for name in COLUMNS)):
            taken = time if time is not None else received
            if size and taken and start is not None and window["from_s"] <= start < window["to_s"]:
                self.sizes.append(size)
                self.times.append(taken * 1e6)
                self.slowdowns.append(slowdown)
        return self

    def add_folder(self, folder, metrics):
        path = folder / "flows.csv"
        return self.add(read_columns(path, ("bytes", "fct_s"), nothing=None), metrics) if path.exists() else self

    def between(self, low, high):
        return sorted(time for size, time in zip(self.sizes, self.times) if low < size <= high)

    def slowdown_by_size(self, percent):
        """Returns [(size, slowdown)] for every bin with enough flows; the size is the bin's mean."""
        bins = {}
        for size, slowdown in zip(self.sizes, self.slowdowns):
            if slowdown is not None:
                bins.setdefault(bisect.bisect_left(EDGES, size), []).append((size, slowdown))
        return [(sum(s for s, _ in found) / len(found), percentile([d for _, d in found], percent))
                for _, found in sorted(bins.items()) if len(found) >= LEAST_FLOWS]


class Log:
    """A logarithmic axis of positive values."""

    def __init__(self, values, begin, end):
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        if self.high - self.low < 0.3:
            self.low, self.high = self.low - 0.15, self.high + 0.15
        self.begin, self.end = begin, end

    def at(self, value):
        return self.begin + (self.end - self.begin) * (math.log10(value) - self.low) / (self.high - self.low)

    def ticks(self):
        steps = (1,) if self.high - self.low > 2.5 else (1, 3) if self.high - self.low > 1.2 else (1, 2, 5)
        found = [f * 10.0**d for d in range(math.floor(self.low), math.ceil(self.high) + 1) for f in steps]
        return [tick for tick in found if self.low <= math.log10(tick) <= self.high]


def panel(title, name, across, up, lines, texts):
    """A panel of the picture with title, axes and curves; `texts`: functions that write the ticks of the two axes."""
    parts = []
    for tick in across.ticks():
        x = across.at(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} 8V{HEIGHT - BOTTOM}"/><text x="{x:.1f}" '
                     f'y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{texts[0](tick)}</text>')
    for tick in up.ticks():
        y = up.at(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - 10}"/><text x="{LEFT - 5}" y="{y + 4:.1f}" '
                     f'text-anchor="end">{texts[1](tick)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 5}" text-anchor="middle">{escape(name)}</text>')
    return (f'<figure class="curves"><figcaption>{escape(title)}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'role="img" aria-label="{escape(title)}" font-size="11" fill="currentColor">{"".join(parts + lines)}'
            "</svg></figure>")


class Shares:
    """A linear axis of shares from 0 to 1."""

    @staticmethod
    def at(value):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 8) * value

    @staticmethod
    def ticks():
        return (0, 0.25, 0.5, 0.75, 1)


def curve(points, index, label, marks=False):
    d = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="var(--series-{index % 8})"/>'
                   for x, y in points) if marks else ""
    return (f'<path d="M{d}" fill="none" stroke="var(--series-{index % 8})" stroke-width="1.8">'
            f"<title>{escape(label)}</title></path>{dots}")


def distributions(runs):
    panels = []
    low = 0.0
    for high, title in SIZES:
        found = [run.between(low, high) for run in runs]
        low = high
        if not any(len(times) >= LEAST_FLOWS for times in found):
            continue
        across = Log([time for times in found for time in (times[:1] + times[-1:])], LEFT, WIDTH - 10)
        lines = []
        for i, times in enumerate(found):
            if len(times) < LEAST_FLOWS:
                continue
            ranks = sorted({max(1, round(len(times) * step / MOST_STEPS)) for step in range(MOST_STEPS + 1)})
            points = [(across.at(times[rank - 1]), Shares.at(rank / len(times))) for rank in ranks]
            lines.append(curve(points, i, f"{runs[i].label}: {len(times)} flows"))
        panels.append(panel(f"Flows {title}", "completion time, µs", across, Shares, lines,
                            (lambda us: f"{us:g}", lambda share: f"{share:g}")))
    return panels


def slowdowns(runs):
    panels = []
    for percent in (50, 99):
        found = [run.slowdown_by_size(percent) for run in runs]
        every = [point for points in found for point in points]
        if not every:
            continue
        across = Log([size for size, _ in every], LEFT, WIDTH - 10)
        up = Log([1.0] + [max(slowdown, 1e-3) for _, slowdown in every], HEIGHT - BOTTOM, 8)
        lines = [curve([(across.at(size), up.at(max(slowdown, 1e-3))) for size, slowdown in points], i, runs[i].label,
                       True) for i, points in enumerate(found) if points]
        panels.append(panel(f"Slowdown, {'median' if percent == 50 else '99th percentile'}", "flow size", across, up,
                            lines, (size_text, lambda slowdown: f"{slowdown:g}")))
    return panels


def completion_pictures(runs):
    """Returns the HTML for Flows of several runs; empty if no size has enough completed flows."""
    panels = slowdowns(runs) + distributions(runs)
    if not panels:
        return ""
    key = " ".join(f'<span class="nowrap"><span class="swatch" style="background:var(--series-{i % 8})"></span>'
                   f"{escape(run.label)}</span>" for i, run in enumerate(runs))
    return f'<p class="key">{key}</p><div class="wrapped">{"".join(panels)}</div>'
