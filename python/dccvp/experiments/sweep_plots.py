"""Draws the pictures of a sweep: heat maps over two parameters and trade-offs between two metrics."""

import itertools
import math

from dccvp.common.pictures import COLOURS, GRID, INK, PALE, plt, save
from matplotlib.colors import LogNorm, Normalize

from dccvp.common.quantity import ordered
from dccvp.common.scales import Scale, columns_for
from dccvp.experiments import results

LEGEND_LINE = 0.17  # Height of a line of the legend, in inches.
WIDEST = 13         # Greatest width of panels side by side, in inches.


def label_of(parameter, value):
    """Returns the text of a parameter and its value; a long text is shortened in the middle."""
    text = f"{parameter} = {value}"
    return text if len(text) <= 80 else f"{text[:50]} … {text[-27:]}"


def file_name(*parts):
    return "_".join("".join(c if c.isalnum() else "-" for c in part) for part in parts if part) + ".png"


def draw_heatmap(plot, lines, units, out):
    """Draws a panel for each value of the parameter `by`; a cell is the mean over all other parameters that vary."""
    metric, x, y, by = plot["metric"], plot["x"], plot["y"], plot.get("by")
    xs, ys = ordered(line[x] for line in lines), ordered(line[y] for line in lines)
    panels = ordered(line[by] for line in lines) if by else [None]
    cells = {}
    for line in lines:
        if line[metric] is not None:
            cells.setdefault((line[by] if by else None, line[x], line[y]), []).append(line[metric])
    means = {key: sum(values) / len(values) for key, values in cells.items()}
    if not means:
        return
    scale = Scale(list(means.values()))
    norm = (LogNorm if scale.logarithmic else Normalize)(scale.low, max(scale.high, scale.low + 1e-300), clip=True)
    width = 1.2 + 0.75 * len(xs)  # Width of a panel, in inches.
    columns = columns_for(len(panels), max(1, int(WIDEST / width)))
    rows = -(-len(panels) // columns)
    fig, axes = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                             figsize=(1.5 + columns * width, rows * (1.6 + 0.5 * len(ys))))
    for ax in axes.flat[len(panels):]:
        ax.remove()
    for ax, panel in zip(axes.flat, panels):
        grid = [[means.get((panel, a, b), float("nan")) for a in xs] for b in ys]
        image = ax.imshow(grid, norm=norm, cmap="cividis", aspect="auto", origin="lower")
        for i, b in enumerate(ys):
            for j, a in enumerate(xs):
                value = means.get((panel, a, b))
                if value is not None:
                    dark = scale.share(value) < 0.5
                    ax.text(j, i, f"{value:.4g}", ha="center", va="center", fontsize=7,
                            color="white" if dark else INK)
        ax.set_xticks(range(len(xs)), xs, rotation=30, ha="right", fontsize=8)
        ax.set_yticks(range(len(ys)), ys, fontsize=8)
        ax.set_xlabel(x, fontsize=8)
        if panel is not None:
            ax.set_title(f"{by} = {panel}", fontsize=8, loc="left")
    for row in axes:
        row[0].set_ylabel(y, fontsize=8)
    label = with_unit(metric, units) + (f" ({scale.note()})" if scale.note() else "")
    fig.colorbar(image, ax=[ax for ax in axes.flat if ax in fig.axes], label=label)
    save(fig, out / file_name("heatmap", metric, x, y))


def with_unit(metric, units):
    return f"{metric}, {units[metric]}" if units[metric] else metric


def along(line):
    """Returns positions in pixels along a drawn line: its points, and further positions every few pixels."""
    points = [line.axes.transData.transform(point) for point in zip(*line.get_data())]
    if line.get_linestyle() == "None":
        return points
    for (x, y), (to_x, to_y) in list(zip(points, points[1:])):
        steps = int(math.hypot(to_x - x, to_y - y) / 4) + 1
        points += [(x + (to_x - x) * i / steps, y + (to_y - y) * i / steps) for i in range(steps)]
    return points


def write_labels(ax, labels):
    """Writes texts, [(x, y, text)], near their points without covering another text, a point or a line. A text for
    which there is no room is left out."""
    ax.figure.canvas.draw()  # Drawing fixes the positions of the points in pixels.
    drawn = [place for line in ax.lines for place in along(line)]
    inside = ax.get_window_extent()
    pixels = ax.figure.dpi / 72  # number of pixels in a typographic point

    def free(box):
        return (inside.x0 < box.x0 and box.x1 < inside.x1 and inside.y0 < box.y0 and box.y1 < inside.y1
                and not any(box.overlaps(other) for other in taken)
                and not any(box.contains(*place) for place in drawn))

    taken = []
    for x, y, text in labels:
        label = ax.annotate(text, (x, y), textcoords="offset points", fontsize=8, color=INK,
                            ha="center", va="center", xytext=(0, 0))
        size = label.get_window_extent()
        for distance, angle in itertools.product((10, 14, 20, 28, 38), range(90, 450, 20)):
            across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            label.set_position((across * (size.width / 2 / pixels + distance),
                                up * (size.height / 2 / pixels + distance)))
            box = label.get_window_extent().padded(2)
            if free(box):
                taken.append(box)
                break
        else:
            label.remove()


def put_legend_above(ax):
    """Puts the legend above the axes in as many columns as fit, and makes the figure higher by the lines of the
    legend."""
    for columns in (3, 2, 1):
        legend = ax.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0,
                           ncols=columns)
        if legend.get_window_extent(ax.figure.canvas.get_renderer()).width < 0.85 * ax.figure.bbox.width:
            break
    lines = -(-len(legend.get_texts()) // columns)
    ax.figure.set_figheight(ax.figure.get_figheight() + LEGEND_LINE * (lines - 1))


def draw_pareto(plot, lines, best, units, out):
    """Draws every point, and a line through the Pareto-optimal points, with their numbers in the table. Settings
    whose two figures are equal share one mark with several numbers."""
    x, y, by = plot["x"], plot["y"], plot.get("by")
    able = [line for line in lines if line[x] is not None and line[y] is not None]
    if not able:
        return
    front = {}
    for line in results.pareto(able, {x: best[x], y: best[y]}):
        front.setdefault((line[x], line[y]), []).append(str(line["point"]))
    fig, ax = plt.subplots(figsize=(7, 4.8), layout="constrained")
    for i, group in enumerate(ordered(line[by] for line in able) if by else [None]):
        mine = sorted({(line[x], line[y]) for line in able if by is None or line[by] == group})
        ax.plot(*zip(*mine), "o", markersize=5, color=COLOURS[i % len(COLOURS)],
                label=label_of(by, group) if by else "settings")
    for line in able:  # Error bars show the intervals over the seeds.
        ends = [line.get("interval", {}).get(name) for name in (x, y)]
        if any(ends):
            bars = [None if not e else [[line[n] - e[0]], [e[1] - line[n]]] for n, e in zip((x, y), ends)]
            ax.errorbar(line[x], line[y], xerr=bars[0], yerr=bars[1], fmt="none", ecolor=PALE, elinewidth=0.8, zorder=1)
    ax.plot(*zip(*sorted(front)), "o-", color=INK, linewidth=1, markersize=8, markerfacecolor="none",
            label="not beaten (points of table.csv)")
    for name, stretch, limit in ((x, ax.set_xscale, ax.set_xlim), (y, ax.set_yscale, ax.set_ylim)):
        shown = results.shown(able, name)
        low, high = min(shown), max(shown)
        room = 0.08 * (high - low or abs(high) or 1.0)
        if Scale([line[name] for line in able]).logarithmic:
            stretch("log")
            limit(low / 1.15, high * 1.15)
        else:
            limit(low - room, high + room)
    ax.set_xlabel(f"{with_unit(x, units)} ({best[x]} is better)")
    ax.set_ylabel(f"{with_unit(y, units)} ({best[y]} is better)")
    ax.grid(color=GRID)
    ax.set_axisbelow(True)
    put_legend_above(ax)
    write_labels(ax, [(*place, shortened(numbers)) for place, numbers in sorted(front.items())])
    save(fig, out / file_name("pareto", x, y))


def shortened(numbers):
    return ", ".join(numbers[:3]) + (f" and {len(numbers) - 3} more" if len(numbers) > 3 else "")


def draw(folder, lines):
    units = folder.document["units"]
    for plot in folder.document["heatmaps"]:
        draw_heatmap(plot, lines, units, folder.path)
    for plot in folder.document["pareto"]:
        draw_pareto(plot, lines, folder.document["best"], units, folder.path)
