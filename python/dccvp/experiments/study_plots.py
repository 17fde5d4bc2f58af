"""Draws the pictures of a study: share against weight, error, utilisation and queue, case by case."""

import math

from dccvp.common.pictures import COLOURS, GRID, INK, plt, save
from dccvp.common.statistics import mean, percentile


def grouped(ax, plan, rows, figure, scale=1.0):
    """Draws a dot for each seed and a bar for the 95th percentile; the variants of a case stand side by side."""
    width = 0.8 / len(plan.variants)
    for v, variant in enumerate(plan.variants):
        colour = COLOURS[v % len(COLOURS)]
        for c, case in enumerate(plan.cases):
            values = [scale * r[figure] for r in rows if r["variant"] == variant and r["case"] == case]
            x = c + (v - (len(plan.variants) - 1) / 2) * width
            ax.bar(x, percentile(values, 95), 0.9 * width, color=colour, alpha=0.35,
                   label=variant if c == 0 else None)
            ax.plot([x] * len(values), values, ".", color=colour, markersize=4)
    ax.set_xticks(range(len(plan.cases)), plan.cases, rotation=30, ha="right")
    ax.grid(axis="y", color=GRID)
    ax.set_axisbelow(True)


def draw_shares(plan, rows, out):
    """Draws the mean goodput of the flows of a weight against the share of the weight; a line shows exact
    proportion."""
    fig, ax = plt.subplots(figsize=(5.5, 5), layout="constrained")
    flows = {run.case: run.flows for run in plan.runs}
    for v, variant in enumerate(plan.variants):
        xs, ys = [], []
        for row in (r for r in rows if r["variant"] == variant):
            counts = {float(w): n for w, n in flows[row["case"]].items()}
            weights = sum(w * n for w, n in counts.items())
            total = sum(row["by_weight"].values())
            for weight, goodput in row["by_weight"].items():
                xs.append(weight / weights)
                ys.append(goodput / counts[weight] / total)
        ax.plot(xs, ys, ".", color=COLOURS[v % len(COLOURS)], label=variant, markersize=5)
    ends = ax.get_xlim()
    ax.plot(ends, ends, color=INK, linewidth=1)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("weight of a flow / sum of weights")
    ax.set_ylabel("share of the goodput (mean of its weight's flows)")
    ax.set_title("Share against weight", loc="left")
    ax.legend(frameon=False, fontsize=8)
    save(fig, out / "share_weight.png")


def draw_use(plan, rows, out):
    fig, axes = plt.subplots(1, 2, figsize=(max(9, 2.2 * len(plan.cases)), 4), layout="constrained")
    grouped(axes[0], plan, rows, "utilisation", 100)
    axes[0].set_ylim(min(95, 100 * min(r["utilisation"] for r in rows) - 1), 100)
    axes[0].set_ylabel("goodput / greatest possible, %")
    axes[0].legend(frameon=False, fontsize=8)
    grouped(axes[1], plan, rows, "queue_mean_kb")
    axes[1].set_ylabel("mean queue, KB")
    save(fig, out / "use.png")


def draw_figure(plan, rows, out, figure, scale, label, title, limits=(), wide=1.8):
    """Draws one figure as <figure>.png, `wide` inches for each case."""
    fig, ax = plt.subplots(figsize=(max(6, wide * len(plan.cases)), 4), layout="constrained")
    grouped(ax, plan, rows, figure, scale)
    for limit in limits:
        ax.axhline(scale * limit, color=INK, linewidth=1, linestyle="--")
    if figure == "share_error" and ax.get_ylim()[1] > 50:
        ax.set_yscale("symlog", linthresh=20)
    ax.set_ylim(bottom=0)
    ax.set_ylabel(label)
    ax.set_title(title, loc="left")
    ax.legend(frameon=False, fontsize=8)
    save(fig, out / f"{figure}.png")


def draw_sizes(plan, rows, out):
    """Draws the median slowdown of each size, the mean over the seeds; a panel for each case."""
    fig, axes = plt.subplots(1, len(plan.cases), figsize=(4 * len(plan.cases), 4), layout="constrained", squeeze=False)
    for ax, case in zip(axes[0], plan.cases):
        for v, variant in enumerate(plan.variants):
            of_seeds = [row["by_size"] for row in rows if (row["variant"], row["case"]) == (variant, case)]
            sizes = [size for size in of_seeds[0] if all(size in seed for seed in of_seeds)]
            ax.plot(range(len(sizes)), [mean([seed[size]["p50"] for seed in of_seeds]) for size in sizes], ".-",
                    color=COLOURS[v % len(COLOURS)], label=variant)
            ax.set_xticks(range(len(sizes)), sizes, rotation=30, ha="right")
        ax.set_yscale("log")
        ax.set_title(case, loc="left")
        ax.grid(axis="y", color=GRID)
    axes[0][0].set_ylabel("median slowdown")
    axes[0][0].legend(frameon=False, fontsize=8)
    save(fig, out / "sizes.png")


def draw(plan, rows, out):
    """Draws the pictures of a study, except pictures of figures that no run has."""
    def known(figure):
        return any(not math.isnan(row[figure]) for row in rows)

    if plan.slowdowns:
        draw_sizes(plan, rows, out)
        return
    if known("share_error"):
        limits = {plan.limits[case].get("share_error_p95") for case in plan.cases} - {None}
        draw_figure(plan, rows, out, "share_error", 100, "greatest relative error of a flow's share, %",
                    "Share error: dots are seeds, bars the 95th percentile", limits, 1.3)
    if all(run.flows for run in plan.runs):
        draw_shares(plan, rows, out)
    draw_use(plan, rows, out)
    if known("tenant_error"):
        limit = plan.limits[plan.cases[0]].get("tenant_error_max")
        draw_figure(plan, rows, out, "tenant_error", 100, "greatest error of a tenant's share, %",
                    "Tenants' share error over windows", () if limit is None else (limit,))
    if known("message_p99_us"):
        draw_figure(plan, rows, out, "message_p99_us", 1, "p99 of completion times, us", "Small messages under load")
