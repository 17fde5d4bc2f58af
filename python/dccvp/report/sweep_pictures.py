"""Draws the pictures of a sweep as HTML: heat maps in panels that wrap, and trade-offs. Each cell and each mark is
a link to the report of its point, so the keyboard reaches it."""

import math

from dccvp.common.scales import Scale
from dccvp.common.statistics import mean
from dccvp.experiments import results
from dccvp.common.quantity import ordered
from dccvp.report.html_text import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 66, 14, 12, 46
MOST_MARKS = 2000  # Greatest number of marks that a browser can draw at once.


def with_unit(metric, units):
    return f"{metric}, {units[metric]}" if units.get(metric) else metric


def told(line, axes, metric, units):
    """Returns the settings of a line and the value of a metric, as text for people."""
    settings = ", ".join(f"{axis} = {line[axis]}" for axis in axes if line[axis] != "")
    value = f"{metric} {results.mean_text(line, metric)} {units.get(metric, '')}"
    return f"point {line['point']}: {settings}: {value}".strip()


def link(line, links, inside, title, css):
    """Returns an SVG element for a line, with a link if the line's point has a report."""
    href = links.get(line["id"])
    if href is None:
        return f'<span class="{css[0]}" style="{css[1]}" title="{escape(title)}">{inside}</span>'
    return f'<a class="{css[0]}" style="{css[1]}" title="{escape(title)}" href="{escape(href)}">{inside}</a>'


def heatmap(plot, lines, axes, units, links):
    """Returns a panel for each value of the parameter `by`; a cell is the mean over all other parameters that vary,
    and links to the first of its points."""
    metric, x, y, by = plot["metric"], plot["x"], plot["y"], plot.get("by")
    cells = {}
    for line in lines:
        if line[metric] is not None:
            cells.setdefault((line[by] if by else None, line[x], line[y]), []).append(line)
    if not cells:
        return ""
    means = {key: mean([line[metric] for line in found]) for key, found in cells.items()}
    scale = Scale(list(means.values()))
    xs, ys = ordered(line[x] for line in lines), ordered(line[y] for line in lines)
    panels = []
    for panel in ordered(line[by] for line in lines) if by else [None]:
        rows = []
        for b in reversed(ys):
            row = [f'<th scope="row">{escape(str(b))}</th>']
            for a in xs:
                found = cells.get((panel, a, b))
                if not found:
                    row.append("<td></td>")
                    continue
                value = means[panel, a, b]
                share = scale.share(value)
                text = results.mean_text(found[0], metric) if len(found) == 1 else f"{value:.4g}"
                title = "\n".join(told(line, axes, metric, units) for line in found[:8])
                css = ("cell high" if share > 0.55 else "cell", f"--share:{100 * share:.1f}%")
                row.append(f"<td>{link(found[0], links, escape(text), title, css)}</td>")
            rows.append(f"<tr>{''.join(row)}</tr>")
        head = "".join(f'<th scope="col">{escape(str(a))}</th>' for a in xs)
        name = f"<h4>{escape(by)} = {escape(str(panel))}</h4>" if by else ""
        corner = f'<th scope="col" class="corner">{escape(y)} ↓ · {escape(x)} →</th>'
        panels.append(f'<div class="heatmap">{name}<div class="scroll"><table><thead><tr>{corner}{head}</tr></thead>'
                      f"<tbody>{''.join(rows)}</tbody></table></div></div>")
    note = f"; {scale.note()}" if scale.note() else ""
    key = (f'<p class="note">{scale.low:.4g} <span class="ramp"></span> {scale.high:.4g}{note}</p>')
    return f"<h3>{escape(with_unit(metric, units))}</h3>{key}<div class=\"wrapped\">{''.join(panels)}</div>"


class Axis:
    """An axis of a picture: positions and ticks."""

    def __init__(self, values, begin, end):
        self.scale = Scale(values)
        low, high = min(values), max(values)
        self.logarithmic = self.scale.logarithmic
        self.low, self.high = (math.log10(low), math.log10(high)) if self.logarithmic else (low, high)
        room = (self.high - self.low or abs(self.high) or 1.0) * 0.06
        self.low, self.high = self.low - room, self.high + room
        self.begin, self.end = begin, end

    def at(self, value):
        if self.logarithmic:
            value = math.log10(value) if value > 0 else self.low
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return self.begin + (self.end - self.begin) * share

    def ticks(self):
        if self.logarithmic:
            found = [f * 10.0**d for d in range(math.floor(self.low), math.ceil(self.high) + 1) for f in (1, 2, 5)]
            return [tick for tick in found if self.low <= math.log10(tick) <= self.high]
        step = 10.0 ** math.floor(math.log10(self.high - self.low))
        step *= min((f for f in (0.1, 0.2, 0.5, 1) if (self.high - self.low) / (step * f) <= 7), default=1)
        return [n * step for n in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def frame(across, up, labels):
    """Returns grid, ticks and names of the axes as SVG."""
    parts = []
    for tick in across.ticks():
        x = across.at(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/><text x="{x:.1f}" '
                     f'y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{tick:.4g}</text>')
    for tick in up.ticks():
        y = up.at(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/><text x="{LEFT - 6}" y="{y + 4:.1f}" '
                     f'text-anchor="end">{tick:.4g}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">'
                 f"{escape(labels[0])}</text>")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle">'
                 f"{escape(labels[1])}</text>")
    return "".join(parts)


def tradeoff(plot, lines, axes, best, units, links):
    """Draws every setting as a mark with the intervals over its seeds; Pareto-optimal settings get a ring."""
    x, y, by = plot["x"], plot["y"], plot.get("by")
    able = [line for line in lines if line[x] is not None and line[y] is not None]
    if not able:
        return ""
    front = results.pareto(able, {x: best[x], y: best[y]})
    across = Axis(results.shown(able, x), LEFT, WIDTH - RIGHT)
    up = Axis(results.shown(able, y), HEIGHT - BOTTOM, TOP)
    groups = ordered(line[by] for line in able) if by else [None]
    marks = []
    for line in able[:MOST_MARKS]:
        cx, cy = across.at(line[x]), up.at(line[y])
        for name, axis in ((x, across), (y, up)):
            ends = line.get("interval", {}).get(name)
            if ends:
                low, high = axis.at(ends[0]), axis.at(ends[1])
                d = f"M{low:.1f} {cy:.1f}H{high:.1f}" if axis is across else f"M{cx:.1f} {low:.1f}V{high:.1f}"
                marks.append(f'<path class="interval" d="{d}"/>')
    for line in able[:MOST_MARKS]:
        colour = f"var(--series-{groups.index(line[by]) % 8 if by else 0})"
        title = told(line, axes, x, units) + f"; {y} {results.mean_text(line, y)} {units.get(y, '')}"
        ring = ' stroke="currentColor" stroke-width="1.6"' if line in front else ""
        mark = (f'<circle cx="{across.at(line[x]):.1f}" cy="{up.at(line[y]):.1f}" r="5" fill="{colour}"{ring}>'
                f"<title>{escape(title)}</title></circle>")
        href = links.get(line["id"])
        marks.append(f'<a href="{escape(href)}" aria-label="{escape(title)}">{mark}</a>' if href else mark)
    key = "".join(f'<span class="nowrap"><span class="swatch" style="background:var(--series-{i % 8})"></span>'
                  f"{escape(str(group))}</span> " for i, group in enumerate(groups)) if by else ""
    key = f'<p class="note">{escape(by)}: {key}</p>' if by else ""
    labels = [f"{with_unit(name, units)} ({best[name]} is better)" for name in (x, y)]
    return (f"<h3>{escape(y)} against {escape(x)}</h3>{key}"
            f'<figure class="tradeoff"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group" '
            f'aria-label="{escape(labels[1])} against {escape(labels[0])}" font-size="11" fill="currentColor">'
            f"{frame(across, up, labels)}{''.join(marks)}</svg></figure>"
            '<p class="note">Ringed marks: no other setting beats them, as far as the seeds can tell.</p>')


def pictures(folder, lines, links):
    """Returns the HTML of all pictures that a sweep asks for. `links`: {id of a point: address of its report}."""
    document = folder.document
    axes = [axis for axis in document["axes"] if axis != "seed"]
    return "".join([heatmap(plot, lines, axes, document["units"], links) for plot in document.get("heatmaps", [])] +
                   [tradeoff(plot, lines, axes, document["best"], document["units"], links)
                    for plot in document.get("pareto", [])])
