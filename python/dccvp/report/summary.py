"""Makes the head of a report: the result in one sentence, shares, and key figures."""

import re

from dccvp.experiments.figures import keeps_flows
from dccvp.report.html_text import colour, escape, figure, heading, meter, number, section, table, time_text

MOST_CLASSES = 16
SHARES_HOLD = 0.10  # Greatest error of a share, the limit of configs/differentiation/weights.study.yml.


def busiest(metrics, key, by):
    rows = list(enumerate(metrics.get(key, [])))
    return max(rows, key=lambda row: row[1][by])[0] if rows else None


def attention(run):
    """Returns [(kind, sentence), …] of a run's problems, the worst first."""
    m, total, found = run.metrics, run.metrics["aggregate"], []
    found += [("bad", text) for text in m.get("failures", [])]
    if not m.get("completed", True):
        found.append(("bad", "The run was stopped before its end."))
    hosts = m["hosts"]
    for count, one, text in (
            (total["drops"], "bad", "packets were dropped in switches."),
            (sum(h.get("payload_errors", 0) for h in hosts), "bad", "received messages are not what was sent."),
            (total["retransmits"], "warn", "packets were sent again."),
            (total["pfc_pauses"], "note", "times a priority was paused (PFC).")):
        if count:
            found.append((one, f"{number(count)} {text}"))
    found += [("warn", f"{finding['text']} [{finding['id']}]") for finding in m.get("diagnoses", [])]
    return sorted(found, key=lambda item: ("bad", "warn", "note").index(item[0]))


def verdict(run):
    m = run.metrics
    classes = [c for c in m["classes"] if c["expected_share"]]
    if len(classes) > 1:
        worst = max(abs((c["share"] or 0) / c["expected_share"] - 1) for c in classes)
        if worst > SHARES_HOLD:
            return (f"The shares miss the classes' weights: one is {100 * worst:.1f}&#8239;% from "
                    "its own.")
        return f"Every class got the share of its weight within {100 * worst:.1f}&#8239;%."
    finite = m.get("slowdown", {}).get("all")
    if finite:
        return (f"{number(finite['flows'])} flows completed, median slowdown {finite['p50']:.2f}, "
                f"99th percentile {finite['p99']:.2f}.")
    if len(m["classes"]) == 1:
        return "One class: nothing to share by weight."
    return "Several bottlenecks: no share is expected of a class."


def shares(run, index):
    classes, dscps = run.metrics["classes"], run.dscps()
    rows = []
    order = sorted(range(len(classes)), key=lambda i: -(classes[i]["goodput_gbps"]))
    for i in sorted(order[:MOST_CLASSES]):  # Sorting by DSCP gives the same order in every run.
        c, path = classes[i], f"classes.{i}"
        asked = c["expected_share"]
        rows.append([
            f'<span class="swatch" style="background:{colour(dscps, c["dscp"])}"></span>'
            f'DSCP {c["dscp"]}', figure(run, index, path + ".weight", 3),
            figure(run, index, path + ".flows"),
            meter(c["share"], asked, colour(dscps, c["dscp"]),
                  f'{100 * (c["share"] or 0):.1f} % of the goodput'),
            figure(run, index, path + ".share", 2, 100, "%"),
            figure(run, index, path + ".expected_share", 2, 100, "%"),
            figure(run, index, path + ".goodput_gbps", 2, 1, "Gb/s")])
    more = (f'<p class="note">{MOST_CLASSES} of {len(classes)} classes: those with the greatest '
            "goodput.</p>" if len(classes) > MOST_CLASSES else "")
    text = table(["class", "weight", "flows", "", "got", "asked", "goodput"], rows, "lrrlrrr",
                 css="shares") + more
    tenants = run.metrics.get("tenants", [])
    if tenants:
        text += table(["tenant", "got", "asked", "off by"], [
            [escape(t["name"]), figure(run, index, f"tenants.{i}.share", 2, 100, "%"),
             figure(run, index, f"tenants.{i}.expected_share", 2, 100, "%"),
             figure(run, index, f"tenants.{i}.share_error", 2, 100, "%")]
            for i, t in enumerate(tenants)])
    return text


def key_figures(runs):
    """Returns [(label, function from (run, index) to HTML), …] of the key figures."""
    def plain(path, digits=2, scale=1, unit=""):
        return lambda run, i: figure(run, i, path, digits, scale, unit)

    def of_greatest(key, by, name, shown, digits, scale, unit):
        def cell(run, i):
            at = busiest(run.metrics, key, by)
            if at is None:
                return "–"
            where = escape(run.metrics[key][at][name])
            return (f'{figure(run, i, f"{key}.{at}.{shown}", digits, scale, unit)}'
                    f'<span class="where">{where}</span>')
        return cell

    def of_late(key, digits, scale, unit):
        """Returns the function that formats a figure of reordering; its result is empty if all packets arrived in
        order."""
        return lambda run, i: (figure(run, i, f"reordering.{key}", digits, scale, unit)
                               if run.metrics.get("reordering", {}).get("packets") else "–")

    def flows(run, i):
        if not keeps_flows(run.metrics):
            return f"{number(run.metrics['flows_completed'])} of {number(run.metrics['flow_count'])}"
        finite = sum(1 for b in run.flows.get("bytes", []) if b)
        if finite == 0:
            return "no flow has an end"
        done = sum(1 for c in run.flows.get("completed", []) if c == "true")
        return f"{number(done)} of {number(finite)}"

    rows = [
        ("goodput", plain("aggregate.goodput_gbps", 2, 1, "Gb/s")),
        ("busiest link", of_greatest("links", "utilisation", "name", "utilisation", 1, 100, "%")),
        ("longest queue, mean",
         of_greatest("queues", "mean_bytes", "port", "mean_bytes", 1, 1e-3, "KB")),
        ("longest queue, 99 %",
         of_greatest("queues", "p99_bytes", "port", "p99_bytes", 1, 1e-3, "KB")),
        ("switch's memory, most",
         of_greatest("buffers", "max_bytes", "switch", "max_bytes", 1, 1e-3, "KB")),
        ("data out of order", of_late("share", 2, 100, "%")),
        ("packets behind, 99 %", of_late("depth_p99", 0, 1, "")),
        ("fairness (Jain)", plain("aggregate.jain", 4)),
        ("round trip, mean", plain("aggregate.rtt_us_mean", 2, 1, "µs")),
        ("round trip, 99 %", plain("aggregate.rtt_us_p99", 2, 1, "µs")),
        ("flows completed", flows),
        ("slowdown, median", plain("slowdown.all.p50", 2)),
        ("slowdown, 99 %", plain("slowdown.all.p99", 2)),
        ("packets dropped", plain("aggregate.drops")),
        ("ECN marks", plain("aggregate.ecn_marks")),
        ("CNPs received", plain("aggregate.cnps_received")),
        ("CNPs without a slot", plain("aggregate.cnps_dropped_no_slot")),
        ("PFC pauses", plain("aggregate.pfc_pauses")),
    ]
    unknown = re.compile(r">–<|^–$")  # A figure that no run has is left out.
    return [(label, cell) for label, cell in rows
            if not all(unknown.search(cell(run, i)) for i, run in enumerate(runs))]


def summary(runs):
    panels = []
    for i, run in enumerate(runs):
        m = run.metrics
        window = m["measure"]
        notes = "".join(f'<li class="{kind}">{escape(text)}</li>' for kind, text in attention(run))
        ok = m.get("completed", True) and not m.get("failures")
        state = ('<span class="state good">completed</span>' if ok else
                 '<span class="state bad">promises broken</span>')
        panels.append(
            f'<div class="panel">{heading(runs, i)}<p class="verdict">{state} {verdict(run)}</p>'
            f"<p>{escape(run.subtitle)} Measured from {time_text(window['from_s'])} to "
            f"{time_text(window['to_s'])}.</p>"
            f'{f"<ul class=notes>{notes}</ul>" if notes else ""}{shares(run, i)}</div>')
    figures = key_figures(runs)
    if len(runs) == 1:
        tiles = "".join(f"<div><dt>{label}</dt><dd>{cell(runs[0], 0)}</dd></div>"
                        for label, cell in figures)
        body = f'<div class="runs">{panels[0]}</div><dl class="tiles">{tiles}</dl>'
    else:
        rows = [[label] + [cell(run, i) for i, run in enumerate(runs)] for label, cell in figures]
        body = f'<div class="runs">{"".join(panels)}</div>' + table(
            ["figure"] + [escape(run.label) for run in runs], rows, css="compare")
    return section("summary", "Summary", body)
