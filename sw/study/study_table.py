"""What the runs of a study amount to: a line for every case of a variant, judged by its limits."""

import csv
import math

HEAD = ("variant", "case", "seeds", "error_p50", "error_p95", "error_max", "utilisation_mean",
        "utilisation_min", "jain", "jain_weighted", "queue_mean_kb", "queue_p99_kb", "drain_ms_max",
        "pfc_pauses", "dropped_no_slot", "missed")


def percentile(values, share):
    """Nearest-rank: the least value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)]


def mean(values):
    return sum(values) / len(values)


def judged(line, limits):
    """Names of the limits that the line misses. A drain that never ended misses."""
    missed = []
    if "share_error_p95" in limits and not line["error_p95"] <= limits["share_error_p95"]:
        missed.append("share_error_p95")
    if "utilisation_min" in limits and not line["utilisation_min"] >= limits["utilisation_min"]:
        missed.append("utilisation_min")
    if "drain_ms_max" in limits and not line["drain_ms_max"] <= limits["drain_ms_max"]:
        missed.append("drain_ms_max")
    return missed


def table(plan, rows):
    lines = []
    for case in plan.cases:
        for variant in plan.variants:
            mine = [row for row in rows if row["variant"] == variant and row["case"] == case]
            column = lambda name, of=mine: [row[name] for row in of]
            drains = column("drain_ms")
            line = {
                "variant": variant, "case": case, "seeds": len(mine),
                "error_p50": percentile(column("share_error"), 0.5),
                "error_p95": percentile(column("share_error"), 0.95),
                "error_max": max(column("share_error")),
                "utilisation_mean": mean(column("utilisation")),
                "utilisation_min": min(column("utilisation")),
                "jain": mean(column("jain")),
                "jain_weighted": mean(column("jain_weighted")),
                "queue_mean_kb": mean(column("queue_mean_kb")),
                "queue_p99_kb": mean(column("queue_p99_kb")),
                "drain_ms_max": math.nan if any(map(math.isnan, drains)) else max(drains),
                "pfc_pauses": mean(column("pfc_pauses")),
                "dropped_no_slot": mean(column("dropped_no_slot")),
            }
            held = variant in plan.limits_for
            line["missed"] = " ".join(judged(line, plan.limits[case])) if held else ""
            lines.append(line)
    return lines


def write_csv(path, lines):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, HEAD)
        writer.writeheader()
        for line in lines:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in line.items()})


def markdown(lines):
    """The table for people: shares in percent, queues in KB."""
    text = ["| case | variant | error p50 / p95 / max % | utilisation % (least) | Jain, by weight "
            "| queue mean / p99 KB | drained ms | misses |", "|---|---|---|---|---|---|---|---|"]
    for n in lines:
        drain = "" if math.isnan(n["drain_ms_max"]) else f"{n['drain_ms_max']:.2f}"
        text.append(
            f"| {n['case']} | {n['variant']} | {100 * n['error_p50']:.1f} / "
            f"{100 * n['error_p95']:.1f} / {100 * n['error_max']:.1f} | "
            f"{100 * n['utilisation_mean']:.1f} ({100 * n['utilisation_min']:.1f}) | "
            f"{n['jain_weighted']:.4f} | {n['queue_mean_kb']:.0f} / {n['queue_p99_kb']:.0f} | "
            f"{drain} | {n['missed']} |")
    return "\n".join(text) + "\n"
