"""What the runs of a study amount to: a line for every case of a variant, judged by its limits."""

import csv
import io
import math

from dccvp.common.statistics import mean, percentile
from dccvp.common.whole_file import write_whole

HEAD = ("variant", "case", "seeds", "error_p50", "error_p95", "error_max", "error_rms", "class_error_max",
        "utilisation_mean",
        "utilisation_min", "jain", "jain_weighted", "queue_mean_kb", "queue_p99_kb", "drain_ms_max",
        "tenant_error_mean", "tenant_error_max", "tenant_swing", "message_p50_us", "message_p99_us",
        "message_gain", "use_least_p5", "windows_every", "windows_rms", "pfc_pauses", "dropped_no_slot", "missed")

# A limit's name, the figure it is about and whether that must not exceed it.
BOUNDS = (("share_error_p95", "error_p95", True), ("share_rms_max", "error_rms", True),
          ("class_error_max", "class_error_max", True), ("pfc_pauses_max", "pfc_pauses", True),
          ("utilisation_min", "utilisation_min", False),
          ("drain_ms_max", "drain_ms_max", True), ("tenant_error_max", "tenant_error_max", True),
          ("message_gain_min", "message_gain", False), ("use_least_min", "use_least_p5", False),
          ("windows_every_min", "windows_every", False), ("windows_rms_min", "windows_rms", False))


def judged(line, limits):
    """Names of the limits that the line misses. A figure that is not there misses."""
    missed = []
    for name, figure, at_most in BOUNDS:
        if name in limits:
            value, limit = line[figure], limits[name]
            if not (value <= limit if at_most else value >= limit):
                missed.append(name)
    return missed


def line_of(variant, case, rows):
    """The figures of all seeds of a case of a variant; NaN where a run had none."""
    def column(name):
        return [row[name] for row in rows]

    def least(name):
        return math.nan if any(map(math.isnan, column(name))) else min(column(name))

    def most(name):
        return math.nan if any(map(math.isnan, column(name))) else max(column(name))

    return {
        "variant": variant, "case": case, "seeds": len(rows),
        "error_p50": percentile(column("share_error"), 50),
        "error_p95": percentile(column("share_error"), 95),
        "error_max": most("share_error"),
        "error_rms": most("share_rms"),
        "class_error_max": most("class_error"),
        "utilisation_mean": mean(column("utilisation")),
        "utilisation_min": least("utilisation"),
        "jain": mean(column("jain")),
        "jain_weighted": mean(column("jain_weighted")),
        "queue_mean_kb": mean(column("queue_mean_kb")),
        "queue_p99_kb": mean(column("queue_p99_kb")),
        "drain_ms_max": most("drain_ms"),
        "tenant_error_mean": mean(column("tenant_error")),
        "tenant_error_max": most("tenant_error"),
        "tenant_swing": mean(column("tenant_swing")),
        "message_p50_us": mean(column("message_p50_us")),
        "message_p99_us": mean(column("message_p99_us")),
        "message_gain": math.nan,
        # The least use that all but one of twenty seeds keep.
        "use_least_p5": -percentile([-use for use in column("use_least")], 95),
        "windows_every": mean(column("windows_every")),
        "windows_rms": mean(column("windows_rms")),
        "pfc_pauses": mean(column("pfc_pauses")),
        "dropped_no_slot": mean(column("dropped_no_slot")),
    }


def table(plan, rows):
    lines = []
    for case in plan.cases:
        mine = {v: line_of(v, case, [row for row in rows if (row["variant"], row["case"]) == (v, case)])
                for v in plan.variants}
        for variant, line in mine.items():
            if plan.against in mine:
                line["message_gain"] = mine[plan.against]["message_p99_us"] / line["message_p99_us"]
            held = variant in plan.limits_for
            line["missed"] = " ".join(judged(line, plan.limits[case])) if held else ""
            lines.append(line)
    return lines


def write_csv(path, lines):
    text = io.StringIO()
    writer = csv.DictWriter(text, HEAD)
    writer.writeheader()
    for line in lines:
        writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in line.items()})
    write_whole(path, text.getvalue())


# Heading, the figures under it and their format: shares in percent, queues in KB.
COLUMNS = (
    ("error p50 / p95 / max %", ("error_p50", "error_p95", "error_max"),
     "{:.1%} / {:.1%} / {:.1%}"),
    ("root mean square of flows / class error max %", ("error_rms", "class_error_max"), "{:.1%} / {:.1%}"),
    ("tenant error mean / max %", ("tenant_error_mean", "tenant_error_max"), "{:.2%} / {:.2%}"),
    ("swing over 10 ms %", ("tenant_swing",), "{:.2%}"),
    ("utilisation % (least)", ("utilisation_mean", "utilisation_min"), "{:.1%} ({:.1%})"),
    ("Jain, by weight", ("jain_weighted",), "{:.4f}"),
    ("queue mean / p99 KB", ("queue_mean_kb", "queue_p99_kb"), "{:.0f} / {:.0f}"),
    ("drained ms", ("drain_ms_max",), "{:.2f}"),
    ("message p50 / p99 us", ("message_p50_us", "message_p99_us"), "{:.2f} / {:.2f}"),
    ("gain of p99", ("message_gain",), "{:.1f}"),
    ("least use % (p95)", ("use_least_p5",), "{:.1%}"),
    ("windows with every share / root mean square within tolerance %",
     ("windows_every", "windows_rms"), "{:.0%} / {:.0%}"),
)


def markdown(lines):
    """The table for people, without the columns that hold nothing."""
    def known(line, figures):
        return not any(math.isnan(line[name]) for name in figures)

    columns = [c for c in COLUMNS if any(known(line, c[1]) for line in lines)]
    missed = any(line["missed"] for line in lines)
    heads = ["case", "variant", *(c[0] for c in columns), *(["misses"] if missed else [])]
    text = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for line in lines:
        cells = [line["case"], line["variant"]]
        for _, figures, form in columns:
            cell = form.format(*(line[name] for name in figures)) if known(line, figures) else ""
            cells.append(cell.replace("%", ""))
        if missed:
            cells.append(line["missed"])
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"
