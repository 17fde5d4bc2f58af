"""Makes the tables of a study: a line for every case of a variant over all seeds, judged by the limits."""

import math

from dccvp.common import text_table
from dccvp.common.statistics import bootstrap, confidence, mean, percentile, with_interval
from dccvp.experiments import study_sizes
from dccvp.experiments.figures import Figure, inside
from dccvp.experiments.results import write_csv as write_rows

STATISTICS = {
    "mean": mean,
    "p50": lambda values: percentile(values, 50),
    "p95": lambda values: percentile(values, 95),
    # percentile from above: at least 95 % of the values are not below p5
    "p5": lambda values: -percentile([-value for value in values], 95),
    "min": lambda values: math.nan if any(map(math.isnan, values)) else min(values),
    "max": lambda values: math.nan if any(map(math.isnan, values)) else max(values),
}

# {column of the table: (figure of a run, statistic over the seeds)}.
FIGURES = {
    "error_p50": ("share_error", "p50"), "error_p95": ("share_error", "p95"), "error_max": ("share_error", "max"),
    "error_rms": ("share_rms", "max"), "class_error_max": ("class_error", "max"),
    "utilisation_mean": ("utilisation", "mean"), "utilisation_min": ("utilisation", "min"),
    "jain": ("jain", "mean"), "jain_weighted": ("jain_weighted", "mean"),
    "queue_mean_kb": ("queue_mean_kb", "mean"), "queue_p99_kb": ("queue_p99_kb", "mean"),
    "drain_ms_max": ("drain_ms", "max"), "tenant_error_mean": ("tenant_error", "mean"),
    "tenant_error_max": ("tenant_error", "max"), "tenant_swing": ("tenant_swing", "mean"),
    "message_p50_us": ("message_p50_us", "mean"), "message_p99_us": ("message_p99_us", "mean"),
    "use_least_p5": ("use_least", "p5"), "windows_every": ("windows_every", "mean"),
    "windows_rms": ("windows_rms", "mean"), "pfc_pauses": ("pfc_pauses", "mean"),
    "dropped_no_slot": ("dropped_no_slot", "mean"),
    "slowdown_mean": ("slowdown_mean", "mean"), "unfinished_max": ("unfinished", "max"),
}
HEAD = ("variant", "case", "seeds", *list(FIGURES)[:17], "message_gain", *list(FIGURES)[17:],
        "slowdown_ratio", "size_ratio", "missed")

# {name of a limit: (the column that the limit bounds, kind of bound)}.
BOUNDS = {"share_error_p95": ("error_p95", "at_most"), "share_rms_max": ("error_rms", "at_most"),
          "class_error_max": ("class_error_max", "at_most"), "pfc_pauses_max": ("pfc_pauses", "at_most"),
          "utilisation_min": ("utilisation_min", "at_least"), "drain_ms_max": ("drain_ms_max", "at_most"),
          "tenant_error_max": ("tenant_error_max", "at_most"), "message_gain_min": ("message_gain", "at_least"),
          "use_least_min": ("use_least_p5", "at_least"), "windows_every_min": ("windows_every", "at_least"),
          "windows_rms_min": ("windows_rms", "at_least"), "slowdown_ratio_max": ("slowdown_ratio", "at_most"),
          "size_ratio_max": ("size_ratio", "at_most"), "unfinished_max": ("unfinished_max", "at_most")}


def judged(line, limits):
    """Returns the names of the limits that a line of the table misses, in the order of BOUNDS. NaN misses its
    limit."""
    return [name for name, (column, bound) in BOUNDS.items()
            if name in limits and not inside(Figure(name, column, **{bound: limits[name]}), line[column])]


def line_of(variant, case, rows):
    """Returns the figures of a case of a variant over all seeds; NaN for a figure that a run lacks. `intervals`
    holds (low, high) of a column's 95 % interval where the interval is known."""
    line = {"variant": variant, "case": case, "seeds": len(rows), "message_gain": math.nan,
            "slowdown_ratio": math.nan, "size_ratio": math.nan, "intervals": {}}
    for column, (figure, statistic) in FIGURES.items():
        values = [row[figure] for row in rows]
        line[column] = STATISTICS[statistic](values)
        # minima, maxima and NaN have no confidence interval
        if math.isnan(line[column]) or statistic in ("min", "max"):
            continue
        half = confidence(values)
        interval = (line[column] - half, line[column] + half) if statistic == "mean" and half is not None else \
            bootstrap(values, STATISTICS[statistic]) if statistic != "mean" else None
        if interval:
            line["intervals"][column] = interval
    return line


def table(plan, rows):
    lines = []
    for case in plan.cases:
        mine = {v: line_of(v, case, [row for row in rows if (row["variant"], row["case"]) == (v, case)])
                for v in plan.variants}
        for variant, line in mine.items():
            if plan.against in mine:
                line["message_gain"] = mine[plan.against]["message_p99_us"] / line["message_p99_us"]
                line["slowdown_ratio"] = line["slowdown_mean"] / mine[plan.against]["slowdown_mean"]
            if plan.slowdowns:
                line["size_ratio"] = study_sizes.greatest(plan, rows, case, variant)
            held = variant in plan.limits_for
            line["missed"] = " ".join(judged(line, plan.limits[case])) if held else ""
            lines.append(line)
    return lines


def write_csv(path, lines):
    """Writes table.csv: a row for each line, with the interval ends after the figures."""
    ends = [column for column in FIGURES if any(column in line["intervals"] for line in lines)]
    rows = [{**{name: f"{line[name]:.6g}" if isinstance(line[name], float) else line[name] for name in HEAD},
             **{f"{column} {end}": f"{line['intervals'][column][i]:.6g}" if column in line["intervals"] else ""
                for column in ends for i, end in enumerate(("low", "high"))}} for line in lines]
    write_rows(path, (*HEAD, *(f"{column} {end}" for column in ends for end in ("low", "high"))), rows)


# Columns of the Markdown table: heading; figures shown in each cell; format string that joins them; factor (100 for
# percent); number of decimals, except where a mean is shown with ± half its confidence interval.
CELLS = (
    ("error p50 / p95 / max %", ("error_p50", "error_p95", "error_max"), "{} / {} / {}", 100, 1),
    ("root mean square of flows / class error max %", ("error_rms", "class_error_max"), "{} / {}", 100, 1),
    ("tenant error mean / max %", ("tenant_error_mean", "tenant_error_max"), "{} / {}", 100, 2),
    ("swing over 10 ms %", ("tenant_swing",), "{}", 100, 2),
    ("utilisation % (least)", ("utilisation_mean", "utilisation_min"), "{} ({})", 100, 1),
    ("Jain, by weight", ("jain_weighted",), "{}", 1, 4),
    ("queue mean / p99 KB", ("queue_mean_kb", "queue_p99_kb"), "{} / {}", 1, 0),
    ("drained ms", ("drain_ms_max",), "{}", 1, 2),
    ("message p50 / p99 us", ("message_p50_us", "message_p99_us"), "{} / {}", 1, 2),
    ("gain of p99", ("message_gain",), "{}", 1, 1),
    ("least use % (p95)", ("use_least_p5",), "{}", 100, 1),
    ("windows with every share / root mean square within tolerance %", ("windows_every", "windows_rms"), "{} / {}",
     100, 0),
    ("mean slowdown", ("slowdown_mean",), "{}", 1, 2),
    ("quotient of means", ("slowdown_ratio",), "{}", 1, 2),
    ("greatest quotient of a size's medians", ("size_ratio",), "{}", 1, 2),
    ("most unfinished flows", ("unfinished_max",), "{}", 1, 0),
)


def shown(line, column, factor, digits):
    """Formats a figure for people: a mean with ± half its interval, or a percentile followed by its interval."""
    value, interval = factor * line[column], line["intervals"].get(column)
    if not interval or interval[0] == interval[1]:
        return f"{value:.{digits}f}"
    if FIGURES[column][1] == "mean":
        half = factor * (interval[1] - interval[0]) / 2
        return f"{value:.{digits}f}" if half < 0.05 * 10**-digits else with_interval(value, half)
    return f"{value:.{digits}f} [{factor * interval[0]:.{digits}f}, {factor * interval[1]:.{digits}f}]"


def markdown(lines):
    """Returns the table as Markdown, without empty columns."""
    def known(line, columns):
        return not any(math.isnan(line[name]) for name in columns)

    cells_of = [cell for cell in CELLS if any(known(line, cell[1]) for line in lines)]
    missed = any(line["missed"] for line in lines)
    heads = ["case", "variant", *(cell[0] for cell in cells_of), *(["misses"] if missed else [])]
    rows = [[line["case"], line["variant"],
             *(form.format(*(shown(line, name, factor, digits) for name in columns)) if known(line, columns) else ""
               for _, columns, form, factor, digits in cells_of), *([line["missed"]] if missed else [])]
            for line in lines]
    return "\n".join(text_table.markdown(heads, rows)) + "\n"
