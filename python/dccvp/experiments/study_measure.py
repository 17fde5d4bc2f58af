"""Computes the figures of a run of a study: shares against weights, use of the bottleneck, queue, completion times
of messages, slowdowns."""

import json
import math
import statistics

from dccvp.common.columns import rows_of
from dccvp.common.quantity import number
from dccvp.common.statistics import jain, percentile
from dccvp.experiments import study_motion, study_sizes
from dccvp.experiments.figures import keeps_flows, no_flows

# Bytes of a packet beside its payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4.
HEADERS = 62

FIGURES = ("share_error", "share_rms", "class_error", "utilisation", "jain", "jain_weighted",
           "queue_mean_kb", "queue_p99_kb",
           "queue_max_kb", "drain_ms", "ecn_marks", "cnps", "dropped_no_slot", "pfc_pauses", "rtt_p99_us",
           "tenant_error", "tenant_swing", "message_p50_us", "message_p99_us", "use_least",
           "windows_every", "windows_rms", "slowdown_mean", "unfinished")
SWING_MS = 10  # Averaging time of tenant_swing in ms.


class RunError(Exception):
    """Raised when the program refuses a platform or breaks off; the message is the program's."""

    def __init__(self, run, message, refused=False):
        super().__init__(f"{run.variant}, {run.case}, seed {run.seed}: {message}")
        self.refused = refused


def ceiling_gbps(platform):
    """Returns the greatest possible goodput of the bottleneck in Gb/s: its rate without headers, preamble and gap."""
    link = platform["topology"]["link"]
    payload = number(platform.get("nic", {}).get("mtu", "1000B"))
    overhead = number(link.get("overhead", "20B"))
    return number(link["rate"]) / 1e9 * payload / (payload + HEADERS + overhead)


def share_error(goodput, weights):
    """Returns the greatest relative error of a flow: its share of the goodput compared with its share of the
    weights."""
    total, weight_sum = sum(goodput), sum(weights)
    if total == 0:
        return 1.0
    return max(abs(g / total * weight_sum / w - 1) for g, w in zip(goodput, weights))


def share_rms(goodput, weights):
    """Returns the root mean square, over all flows, of the relative error of a flow's share."""
    total, weight_sum = sum(goodput), sum(weights)
    if total == 0:
        return 1.0
    return math.sqrt(statistics.fmean((g / total * weight_sum / w - 1) ** 2 for g, w in zip(goodput, weights)))


def class_error(goodput, weights):
    """Returns the greatest relative error of the joint share of all flows with the same weight."""
    together = {w: sum(g for g, v in zip(goodput, weights) if v == w) for w in weights}
    return share_error(list(together.values()), [w * weights.count(w) for w in together])


def drain_ms(series, kmax):
    """Returns the time in ms from the first sample of the queue above Kmax to the next below Kmax; 0 if the queue
    never exceeds Kmax, NaN if it stays above."""
    over = None
    for row in rows_of(series):
        at, length = float(row["t_s"]), float(row["bytes"])
        if over is None and length > kmax:
            over = at
        elif over is not None and length < kmax:
            return (at - over) * 1e3
    return 0.0 if over is None else math.nan


def tenant_swing(series, start, end, interval=1e-3):
    """Returns the standard deviation of a class's share, averaged over consecutive blocks of SWING_MS, relative to
    its mean; the greatest value of all classes that send all the time."""
    goodput = {}
    for row in rows_of(series):
        if start < float(row["t_s"]) - interval / 2 < end:
            goodput.setdefault(row["dscp"], []).append(float(row["goodput_gbps"]))
    count = max(map(len, goodput.values()), default=0)
    blocks = range(count // SWING_MS)

    def sums(values):
        return [sum(values[i * SWING_MS:(i + 1) * SWING_MS]) for i in blocks]

    # A class that receives nothing during a whole block does not send all the time.
    there = [s for s in map(sums, goodput.values()) if all(s)]
    if len(there) < 2 or len(blocks) < 2:
        return math.nan
    totals = [sum(column) for column in zip(*there)]
    shares = [[part / total for part, total in zip(s, totals)] for s in there]
    return max(statistics.pstdev(s) / statistics.mean(s) for s in shares)


def tenant_figures(metrics, out):
    errors = [t["share_error_window"] for t in metrics.get("tenants", []) if t["share_error_window"] is not None]
    if not errors:
        return math.nan, math.nan
    window = metrics["measure"]
    return max(errors), tenant_swing(out / "series" / "class.csv", window["from_s"], window["to_s"])


def figures_of(run, plan, out):
    """Returns {figure: value} of the run whose results are in the folder `out`; None for a figure that the run
    lacks. `by_weight` is the goodput of all flows of each weight, `by_size` the slowdowns of study_sizes.by_size."""
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    if not keeps_flows(metrics):
        raise RunError(run, no_flows(metrics, "a study"))
    drained = math.nan
    if plan.queue_series:
        kmax = number(run.platform["switch"]["ecn"]["kmax"])
        drained = drain_ms(out / "series" / "queue.csv", kmax)
    tenant_error, swing = tenant_figures(metrics, out)
    times = []  # completion times of the finished messages in us, from posting to the last ACK
    if plan.messages_of is not None:
        times = [float(row["fct_s"]) * 1e6 for row in rows_of(out / "flows.csv")
                 if row["dscp"] == str(plan.messages_of) and row["fct_s"]]
        if not times:
            raise RunError(run, f"no message of DSCP {plan.messages_of} was completed")

    slowdowns: dict = dict.fromkeys(("slowdown_mean", "unfinished"), math.nan)
    sizes = {}
    if plan.slowdowns:
        slowdowns = study_sizes.slowdown_figures(metrics)
        sizes = study_sizes.by_size(metrics)

    # Shares count only flows with weights: no messages, no flows that have stopped, and no flows of a closed loop.
    left = study_motion.left_before(run.platform, metrics["measure"]["from_s"])
    flows = [flow for i, flow in enumerate(metrics["flows"]) if flow["dscp"] != plan.messages_of and i not in left]
    proportional = bool(flows) and "qos" not in metrics and not plan.slowdowns
    goodput = [flow["goodput_gbps"] or 0.0 for flow in flows]
    weights = [flow["weight"] for flow in flows]
    moved = dict.fromkeys(("use_least", "windows_every", "windows_rms"), math.nan)
    if run.motion:
        moved = study_motion.motion_figures(run.motion, run.platform,
                                            [flow["weight"] for flow in metrics["flows"]], ceiling_gbps(run.platform),
                                            out / "series" / "flow_rates.csv")
    queue = max(metrics["queues"], key=lambda q: q["mean_bytes"])
    aggregate = metrics["aggregate"]
    found = {
        **{name: error(goodput, weights) if proportional else math.nan for name, error in (
            ("share_error", share_error), ("share_rms", share_rms), ("class_error", class_error))},
        "utilisation": math.nan if plan.slowdowns else aggregate["goodput_gbps"] / ceiling_gbps(run.platform),
        "jain": aggregate["jain"],
        "jain_weighted": jain([g / w for g, w in zip(goodput, weights)]) if proportional else math.nan,
        "queue_mean_kb": queue["mean_bytes"] / 1e3,
        "queue_p99_kb": queue["p99_bytes"] / 1e3,
        "queue_max_kb": queue["max_bytes"] / 1e3,
        "drain_ms": drained,
        "ecn_marks": aggregate["ecn_marks"],
        "cnps": aggregate["cnps_sent"],
        "dropped_no_slot": aggregate["cnps_dropped_no_slot"],
        "pfc_pauses": aggregate["pfc_pauses"],
        "rtt_p99_us": aggregate["rtt_us_p99"],
        "tenant_error": tenant_error,
        "tenant_swing": swing,
        "message_p50_us": percentile(times, 50) if times else math.nan,
        "message_p99_us": percentile(times, 99) if times else math.nan,
        **moved,
        **slowdowns,
    }
    found = {name: None if value is None or math.isnan(value) else value for name, value in found.items()}
    return {**found, "by_size": sizes,
            "by_weight": {str(w): sum(g for g, v in zip(goodput, weights) if v == w) for w in sorted(set(weights))}}
