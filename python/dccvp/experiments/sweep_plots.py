"""Pictures of a sweep: heat maps over two parameters and trade-offs between two metrics."""

from dccvp.common.pictures import COLOURS, GRID, INK
import matplotlib.pyplot as plt

from dccvp.common import quantity
from dccvp.experiments import sweep_table


def ordered(values):
    """Quantities by size, words as they came."""
    values = list(dict.fromkeys(values))
    numbers = [quantity.number(v) for v in values]
    if all(n is not None for n in numbers):
        return [v for _, v in sorted(zip(numbers, values))]
    return values


def file_name(*parts):
    return "_".join("".join(c if c.isalnum() else "-" for c in part) for part in parts if part) + ".png"


def draw_heatmap(plot, lines, out):
    """A panel for each value of `by`; a cell is the mean over everything else that varies."""
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
    low, high = min(means.values()), max(means.values())
    fig, axes = plt.subplots(1, len(panels), squeeze=False, layout="constrained",
                             figsize=(1.5 + len(panels) * (1.2 + 0.75 * len(xs)), 1.6 + 0.5 * len(ys)))
    for ax, panel in zip(axes[0], panels):
        grid = [[means.get((panel, a, b), float("nan")) for a in xs] for b in ys]
        image = ax.imshow(grid, vmin=low, vmax=high, cmap="cividis", aspect="auto", origin="lower")
        for i, b in enumerate(ys):
            for j, a in enumerate(xs):
                value = means.get((panel, a, b))
                if value is not None:
                    dark = high > low and (value - low) / (high - low) < 0.5
                    ax.text(j, i, f"{value:.4g}", ha="center", va="center", fontsize=7,
                            color="white" if dark else INK)
        ax.set_xticks(range(len(xs)), xs, rotation=30, ha="right", fontsize=8)
        ax.set_yticks(range(len(ys)), ys, fontsize=8)
        ax.set_xlabel(x, fontsize=8)
        if panel is not None:
            ax.set_title(f"{by} = {panel}", fontsize=8, loc="left")
    axes[0][0].set_ylabel(y, fontsize=8)
    fig.colorbar(image, ax=list(axes[0]), label=metric)
    fig.savefig(out / file_name("heatmap", metric, x, y), dpi=110)
    plt.close(fig)


def draw_pareto(plot, lines, best, out):
    x, y, by = plot["x"], plot["y"], plot.get("by")
    able = [line for line in lines if line[x] is not None and line[y] is not None]
    if not able:
        return
    front = sorted(sweep_table.pareto(able, {x: best[x], y: best[y]}), key=lambda line: line[x])
    fig, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
    for i, group in enumerate(ordered(line[by] for line in able) if by else [None]):
        mine = [line for line in able if by is None or line[by] == group]
        ax.plot([line[x] for line in mine], [line[y] for line in mine], "o", markersize=5,
                color=COLOURS[i % len(COLOURS)], label=group)
    ax.plot([line[x] for line in front], [line[y] for line in front], color=INK, linewidth=1,
            label="not beaten")
    for line in front:
        ax.annotate(str(line["point"]), (line[x], line[y]), textcoords="offset points", xytext=(4, 4),
                    fontsize=8)
    ax.set_xlabel(f"{x} ({best[x]} is better)")
    ax.set_ylabel(f"{y} ({best[y]} is better)")
    ax.grid(color=GRID)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize=8)
    fig.savefig(out / file_name("pareto", x, y), dpi=110)
    plt.close(fig)


def draw(folder, lines):
    for plot in folder.document["heatmaps"]:
        draw_heatmap(plot, lines, folder.path)
    for plot in folder.document["pareto"]:
        draw_pareto(plot, lines, folder.document["best"], folder.path)
