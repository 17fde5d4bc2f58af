"""The parts of a report, each a function from runs to HTML."""

import html
import math
import re

from dccvp.common import quantity
from dccvp.common.statistics import percentile
from dccvp.experiments.figures import keeps_flows, metric_rows
from dccvp.report.distributions import distributions
from dccvp.report.completion_pictures import Flows, completion_pictures
from dccvp.report.html_text import (escape, figure, meter, number, section, side_by_side, size_text, table,
                                    time_text)
from dccvp.report.summary import summary

MOST_ROWS = 16
MOST_FLOWS = 32
NO_FLOWS = '<p class="note">This run kept no list of its flows (output.flows).</p>'


# Section "Where": functions about hosts, links and queues.


def network(runs):
    def draw(run, _):
        if not run.drawing:
            return f'<p class="note">No drawing: {escape(run.config_error)}</p>'
        use = {link["name"]: link["utilisation"] for link in run.metrics["links"]}
        svg = re.sub(r"<style>.*?</style>", "", run.drawing, flags=re.S)

        def heat(match):
            head, title = match.group(1, 4)
            up, down = (html.unescape(name) for name in match.group(2, 3))
            texts = [f"{name} {100 * use[name]:.1f} %" for name in (up, down) if name in use]
            level = max([use.get(up, 0), use.get(down, 0)])
            head = head[:-1] + f' style="--u:{100 * level:.0f}%">'
            return f"{head}<title>{title}{': ' if texts else ''}{escape(', '.join(texts))}"
        return re.sub(r'(<(?:path|rect)[^>]*data-up="([^"]*)" data-down="([^"]*)"[^>]*>)'
                      r"<title>([^<]*)", heat, svg)

    note = ("Cables and hosts redden with the load of their busier direction; hover for figures. "
            '<span class="nowrap">0&#8239;% <span class="scale" aria-hidden="true"></span> '
            "100&#8239;%</span>")
    return section("network", "Network", side_by_side(runs, draw), note)


# Section "Over time" of the report: functions about series.


def chart(runs, index, names, title, unit, extra=""):
    choices = [(name, label) for name, label in names if name in runs[index].charts]
    if not choices and any(name in runs[index].too_short for name, _ in names):
        return (f'<p class="note">No chart of {title.lower()}: a single sample. The interval of '
                f'{escape(runs[index].value("output.series.interval") or "the series")} '
                "(output.series.interval) is too long for this run.</p>")
    if not choices:
        return f'<p class="note">No series of {title.lower()} in this run.</p>'
    buttons = "".join(
        f'<button type="button" data-show="{name}" aria-pressed="{str(k == 0).lower()}">{label}'
        "</button>" for k, (name, label) in enumerate(choices)) if len(choices) > 1 else ""
    return (f'<figure class="chart" data-run="{index}" data-chart="{choices[0][0]}" '
            f'data-unit="{unit}"{extra}><figcaption><span class="title">{title}</span>'
            f'<span class="choices">{buttons}</span></figcaption>'
            f'<div class="plot" role="img" aria-label="{title} over time, {unit}"></div>'
            '<div class="legend"></div></figure>')


def classes_over_time(runs):
    return section("classes", "Classes over time", side_by_side(
        runs, lambda run, i: chart(runs, i, [("class", "")], "Goodput by class", "Gb/s")),
        "Payload received per sampling interval. The measured window is shaded. Drag across a chart "
        "to zoom all of them, double-click to see everything again.")


def rates(runs):
    names = [("rate_gbps", "allowed"), ("goodput_gbps", "goodput"), ("target_gbps", "target"),
             ("alpha", "α")]
    note = ("What the controller allows (wire bits), what arrives (payload), the target it recovers "
            "to, and its congestion estimate α.")
    if any(c.get("spread") for run in runs for c in run.charts.values()):
        note += (" With many flows: mean of a class, in the darker band nine tenths of its flows, in "
                 "the paler one every single sample.")
    return section("rates", "Flow rates", side_by_side(
        runs, lambda run, i: chart(runs, i, names, "Rates of flows", "Gb/s")), note)


def queues(runs):
    def body(run, i):
        marks = ""
        if run.value("switch.ecn.reference_rate") == "none":
            limits = [(key, run.value(f"switch.ecn.{key}")) for key in ("kmin", "kmax")]
            marks = ",".join(f"{key} {text}={quantity.number(text):.0f}" for key, text in limits
                             if quantity.number(text))
        text = chart(runs, i, [("queue", "")], "Egress queues", "KB",
                     f' data-marks="{escape(marks)}"')
        order = sorted(range(len(run.metrics["queues"])),
                       key=lambda q: -run.metrics["queues"][q]["mean_bytes"])
        rows = [[f'<code>{escape(run.metrics["queues"][q]["port"])}</code>'] +
                [figure(run, i, f"queues.{q}.{key}", 1, 1e-3)
                 for key in ("mean_bytes", "p50_bytes", "p99_bytes", "max_bytes")]
                for q in order[:5]]
        text += table(["port", "mean KB", "median KB", "99 % KB", "greatest KB"], rows,
                      caption=f"Longest of {len(order)} queues")
        memory = run.metrics.get("buffers", [])  # Results of earlier versions lack the figures of buffers.
        fullest = sorted(range(len(memory)), key=lambda b: -memory[b]["max_bytes"])
        rows = [[f'<code>{escape(memory[b]["switch"])}</code>'] +
                [figure(run, i, f"buffers.{b}.{key}", 1, 1e-3) for key in ("mean_bytes", "max_bytes")]
                for b in fullest[:5]]
        return text + (table(["switch", "mean KB", "at most KB"], rows,
                             caption=f"Memory used, fullest of {len(memory)} switches")
                       if rows else "")
    return section("queues", "Queues", side_by_side(runs, body),
                   "Bytes waiting at switch outputs, all priorities together.")


# Section "By size" of the report: functions about completion times.


def flow_times(run, bins):
    """Returns the completion times of completed flows for each bin of metrics.json."""
    times = [[] for _ in bins]
    for size, fct, done in zip(run.flows.get("bytes", []), run.flows.get("fct_s", []),
                               run.flows.get("completed", [])):
        if done != "true" or fct is None or size is None:
            continue
        for k, b in enumerate(bins):
            if b["above_bytes"] < size and (b["up_to_bytes"] is None or size <= b["up_to_bytes"]):
                times[k].append(fct)
    return [sorted(t) for t in times]


def delays(runs):
    """Returns the section of delays; empty if no run measured delays."""
    if not any(run.delays.get("us") for run in runs):
        return ""

    def body(run, i):
        if not run.delays.get("us"):
            return '<p class="note">Not measured (output.delays).</p>'
        rows = []
        for k, one in enumerate(run.metrics["delays"]):
            for way, label in (("round_trip", "there and back"), ("one_way", "one way"),
                               ("as_read", "by the hosts' clocks")):
                # with exact clocks no packet has a delay by the hosts' clocks
                if way == "as_read" and not one[way]["packets"]:
                    continue
                path = f"delays.{k}.{way}"
                rows.append([f'DSCP {one["dscp"]}', label, figure(run, i, path + ".packets"),
                             figure(run, i, path + ".marked_share", 2, 100, "%")] +
                            [figure(run, i, f"{path}.us_{key}", 2)
                             for key in ("mean", "p50", "p90", "p99", "p999")])
        return distributions(run.delays, run.dscps()) + table(
            ["class", "way", "packets", "marked", "mean µs", "median", "90 %", "99 %", "99.9 %"], rows,
            "llrrrrrrr")
    return section("delays", "Delays of packets", side_by_side(runs, body),
                   "Share of a class's packets that took no longer, over the logarithm of the time: "
                   "round trips drawn through, one way dashed, round trips as "
                   "hosts' clocks have it dotted.")


def completion(runs):
    greatest = max([b["p99"] for run in runs for b in run.metrics.get("slowdown", {})
                    .get("bins", [])] or [1])
    decades = max(1.0, math.log10(max(greatest, 1.01)))

    def body(run, i):
        bins = run.metrics.get("slowdown", {}).get("bins", [])
        if not bins and not keeps_flows(run.metrics):
            return NO_FLOWS
        if not bins:
            return '<p class="note">No flow of limited size completed.</p>'
        rows = []
        for k, (b, times) in enumerate(zip(bins, flow_times(run, bins))):
            limit = b["up_to_bytes"]
            dots = "".join(
                f'<i class="{key}" style="left:{100 * math.log10(max(b[key], 1)) / decades:.2f}%"'
                f' title="{key} {b[key]:.2f}"></i>' for key in ("p50", "p95", "p99"))
            fct = [time_text(percentile(times, p)) if times else "–" for p in (50, 99)]
            rows.append([f"≤ {size_text(limit)}" if limit else f"> {size_text(b['above_bytes'])}"] +
                        [figure(run, i, f"slowdown.bins.{k}.{key}", 2)
                         for key in ("flows", "mean", "p50", "p95", "p99")] +
                        [f'<span class="dots">{dots}</span>'] + fct)
        rows.append(["<b>all</b>"] + [figure(run, i, f"slowdown.all.{key}", 2)
                                      for key in ("flows", "mean", "p50", "p95", "p99")] + ["", "", ""])
        note = "" if keeps_flows(run.metrics) else NO_FLOWS
        return note + table(["size", "flows", "mean", "median", "95 %", "99 %",
                             f"slowdown 1 … {10 ** decades:.3g} (log)", "time, median", "time, 99 %"], rows,
                            "lrrrrrlrr")

    drawn = completion_pictures([Flows(run.label).add(run.flows, run.metrics) for run in runs])
    return section("completion", "Completion times by flow size", drawn + side_by_side(runs, body),
                   "Slowdown: time from posting to the last ACK over the time in an empty network. "
                   'Dots: <span class="dots key"><i class="p50"></i></span> median, '
                   '<span class="dots key"><i class="p95"></i></span> 95th, '
                   '<span class="dots key"><i class="p99"></i></span> 99th percentile.')


def flows(runs):
    def body(run, i):
        listed = run.metrics["flows"]
        if listed is None:
            return NO_FLOWS
        total = run.metrics.get("flow_count", len(listed))
        order = list(range(len(listed)))
        which = ""
        if len(listed) > MOST_FLOWS:
            slow = any(f["slowdown"] is not None for f in listed)
            order = sorted(order, key=lambda k: (-(listed[k]["slowdown"] or 0) if slow else
                                                 listed[k]["goodput_gbps"], k))[:MOST_FLOWS]
            which = ", those with the greatest slowdown" if slow else ", those with the least goodput"
        rows = []
        named = {host["id"]: host.get("name", f'h{host["id"]}').partition(".")[0]  # {port of a host: name of the host}
                 for host in run.metrics.get("hosts", [])}
        for k in order:
            f, path = listed[k], f"flows.{k}"
            ends = " → ".join(escape(named.get(f[end], f"h{f[end]}")) for end in ("from", "to"))
            rows.append([str(f["id"]), ends, str(f["dscp"]),
                         size_text(f["bytes"]) if f["bytes"] is not None else "unlimited",
                         time_text(f["start_s"]), time_text(f["fct_s"]),
                         figure(run, i, path + ".slowdown", 2),
                         figure(run, i, path + ".goodput_gbps", 3),
                         figure(run, i, path + ".retransmits")])
        return table(["flow", "path", "DSCP", "size", "start", "time", "slowdown", "Gb/s", "resent"],
                     rows, "rlrrrrrrr",
                     caption=f"{len(rows)} of {number(total)} flows{which}")
    return section("flows", "Flows", f"<details><summary>Single flows</summary>"
                   f"{side_by_side(runs, body)}</details>")


# Section "The controller" of the report: functions about the controllers' figures.


def controllers(runs):
    def body(run, i):
        hosts = run.metrics["hosts"]
        slots = int(run.value("nic.controller.slots") or 0)
        order = sorted(range(len(hosts)), key=lambda k: (-hosts[k]["slots_in_use_max"],
                                                         -hosts[k]["timer_events"], k))
        if not any(h["slots_in_use_max"] for h in hosts):
            return f"<p>None of the {len(hosts)} controllers held a congested flow.</p>"
        rows = []
        for k in order[:MOST_ROWS]:
            path = f"hosts.{k}"
            used = hosts[k]["slots_in_use_max"]
            name = hosts[k].get("name", "")
            rows.append([name if "." in name else f'h{hosts[k]["id"]}', figure(run, i, path + ".slots_in_use_max"),
                         meter(used / slots if slots else 0, None, "var(--accent)",
                               f"{used} of {slots} slots")] +
                        [figure(run, i, f"{path}.{key}") for key in
                         ("timer_events", "timer_lateness_max_ticks", "missed_latency",
                          "cnps_received")])
        tick = run.value("nic.controller.tick") or "?"
        busy = sum(1 for h in hosts if h["slots_in_use_max"])
        lag = max((h["timer_lateness_max_ticks"] for h in hosts), default=0)
        most = max((h["slots_in_use_max"] for h in hosts), default=0)
        text = (f"<p>{busy} of {len(hosts)} controllers held congested flows, at most {number(most)} "
                f"of {number(slots)} slots at once. The latest timer was {number(lag)} "
                f"tick{'' if lag == 1 else 's'} of {escape(tick)} late.</p>")
        caption = (f"{MOST_ROWS} of {len(hosts)} hosts, those with most slots in use"
                   if len(hosts) > MOST_ROWS else "")
        return text + table(["host", "slots", f"of {number(slots)}", "timer events", "lag, ticks",
                             "late events", "CNPs"], rows, "lrlrrrr", caption)
    return section("controllers", "Controllers", side_by_side(runs, body),
                   "Greatest number of slots in use, expired timer events, their greatest lag behind "
                   "their tick, and those issued too late for their tick; over the whole run.")


def links(runs):
    def body(run, i):
        listed = run.metrics["links"]
        order = sorted(range(len(listed)), key=lambda k: (-listed[k]["utilisation"], k))
        rows = [[f'<code>{escape(listed[k]["name"])}</code>',
                 figure(run, i, f"links.{k}.rate_gbps", 0),
                 meter(listed[k]["utilisation"], None, "var(--accent)",
                       f'{100 * listed[k]["utilisation"]:.1f} %'),
                 figure(run, i, f"links.{k}.utilisation", 1, 100, "%"),
                 figure(run, i, f"links.{k}.tx_bytes", 2, 1e-6, "MB"),
                 figure(run, i, f"links.{k}.pause_s", 1, 1e6, "µs")] for k in order[:MOST_ROWS]]
        caption = f"{len(rows)} of {len(listed)} links, the busiest" if len(listed) > len(rows) else ""
        return table(["link", "Gb/s", "", "used", "sent", "paused"], rows, "lrlrrr", caption)
    return section("links", "Links", side_by_side(runs, body),
                   "One direction each, over the measured window; use counts preamble and gap.")


# Section "Sums": functions about totals of the run.


def counters(runs):
    about = {row["path"]: row for row in metric_rows(runs[0].dccvp)}
    units = {"Gb/s": ", Gb/s", "us": ", µs"}

    def words(path, key):
        row = about.get(path, {"label": "", "unit": ""})
        return escape((row["label"] or key.replace("_", " ")) + units.get(row["unit"], ""))

    def grid(part):
        keys = [key for key in runs[0].metrics[part]
                if isinstance(runs[0].metrics[part][key], (int, float, type(None)))]
        rows = [[words(f"{part}.{key}", key)] +
                [figure(run, i, f"{part}.{key}", 4) for i, run in enumerate(runs)] for key in keys]
        head = ["", *[escape(run.label) for run in runs]] if len(runs) > 1 else ["", "count"]
        return rows, head

    totals, head = grid("aggregate")
    balance, _ = grid("balance")

    def sums(run):
        b = run.metrics["balance"]
        packets = (b["packets_delivered"] + b["packets_dropped"] + b["packets_in_flight"])
        events = b["events_expired"] + b["events_cancelled"] + b["events_pending"]
        good = packets == b["packets_sent"] and events == b["events_started"]
        return ('<span class="state good">comes out</span>' if good else
                '<span class="state bad">does not come out</span>')
    balance.append(["<b>sum</b>"] + [sums(run) for run in runs])
    speed = [["simulated time, ms"] + [figure(r, i, "sim_time_s", 3, 1e3) for i, r in enumerate(runs)],
             ["wall clock, s"] + [figure(r, i, "wall_s", 2) for i, r in enumerate(runs)],
             ["link traversals"] + [figure(r, i, "link_traversals") for i, r in enumerate(runs)],
             ["traversals a second, M"] +
             [figure(r, i, "speed.link_traversals_per_s", 2, 1e-6) for i, r in enumerate(runs)]]
    return section("counters", "Counters", '<div class="tables">' +
                   table(head, totals, caption="In the measured window") +
                   table(head, balance, caption="Balance of the whole run") +
                   table(head, speed, caption="Simulation") + "</div>")


def configuration(runs):
    parts = []
    if len(runs) > 1:
        values = [{row["path"]: row["value"] for row in run.parameters} for run in runs]
        paths = list(dict.fromkeys(path for one in values for path in one))
        rows = [[f"<code>{escape(path)}</code>"] + [escape(one.get(path, "–")) for one in values]
                for path in paths if len({one.get(path) for one in values}) > 1]
        parts.append(table(["parameter"] + [escape(run.label) for run in runs], rows, css="left",
                           kinds="l" * (len(runs) + 1), caption="What differs between the runs")
                     if rows else "<p>The runs have the same configuration.</p>")

    def body(run, _):
        if not run.parameters:
            return (f'<p class="note">Parameters unknown: {escape(run.config_error)}</p>'
                    f"<pre>{escape(run.yaml)}</pre>")
        rows = [[f"<code>{escape(path)}</code>", escape(value), escape(default)]
                for path, (value, default) in run.changed().items()]
        return (table(["parameter", "value", "default"], rows, "lll",
                      "What differs from the defaults", "left") +
                f"<details><summary>All {len(run.parameters)} parameters"
                f"</summary><pre>{escape(run.yaml)}</pre></details>")
    return section("configuration", "Configuration", "".join(parts) + side_by_side(runs, body))


ALL = (summary, network, classes_over_time, rates, queues, delays, completion, flows, controllers, links,
       counters, configuration)
