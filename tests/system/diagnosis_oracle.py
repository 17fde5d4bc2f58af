#!/usr/bin/python3
"""Checks whether a run's diagnoses agree with its raw results: diagnosis_oracle.py draws configurations of a star,
runs each, and decides by its own arithmetic on flows.csv, series/*.csv and the counters of metrics.json whether each
diagnosis should be reported.

Near the limit of a diagnosis the oracle decides nothing, since it samples values that the program counts. The exit
status is 1 if a decision differs from the diagnoses of the run. Another --seed draws new configurations.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from diagnosis_draw import DELAYS_AND_LOSSES, INTERVAL, drawn  # noqa: E402
from dccvp import program  # noqa: E402
from dccvp.common.columns import rows_of  # noqa: E402
from dccvp.common.text_table import text_table  # noqa: E402

# Bytes of a full packet of the default MTU: payload; frame with Ethernet, IPv4, UDP, BTH, ICRC and FCS; preamble, start
# delimiter and gap.
PAYLOAD, WIRE, OVERHEAD = 1000, 1062, 20
NEAR = 0.07      # Relative distance from a diagnosis's limit within which the oracle decides nothing.


def near(value, limit):
    return abs(value - limit) <= NEAR * abs(limit)


def above(value, limit):
    """Returns whether a value exceeds a limit: True or False; None near the limit."""
    return None if near(value, limit) else value > limit


def both(*decisions):
    """Returns the logical AND of decisions; None where the result depends on an undecided (None) input."""
    if any(decision is False for decision in decisions):
        return False
    return None if None in decisions else True


def any_of(decisions):
    """Returns the logical OR of decisions; None where the result depends on an undecided (None) input."""
    decisions = list(decisions)
    return True if True in decisions else None if None in decisions else False


# ---------------------------------------------------------------- results of a run

class Left:
    """The raw results of a run of a drawn configuration. Times are in s, rates in bit/s, sizes in bytes."""

    def __init__(self, config, params, metrics, folder):
        self.config, self.params, self.metrics = config, params, metrics
        self.flows = list(rows_of(folder / "flows.csv"))
        self.end = self.metrics["sim_time_s"]
        self.begin = self.metrics["measure"]["from_s"]
        self.window = self.metrics["measure"]["to_s"] - self.begin
        self.rate = float(config["topology"]["link"]["rate"].removesuffix("Gbps")) * 1e9
        self.delay = float(config["topology"]["link"]["delay"].removesuffix("ns")) * 1e-9
        self.got: dict[str, float] = collections.defaultdict(float)  # payload bytes of each flow in the window
        self.last = {}                              # End of the last sample in which each flow received payload.
        for sample in rows_of(folder / "series/flow_rates.csv"):
            time, flow, gbps = float(sample["t_s"]), sample["flow"], float(sample["goodput_gbps"])
            if gbps > 0:
                self.last[flow] = time
                if time > self.begin + INTERVAL / 2:
                    self.got[flow] += gbps * 1e9 / 8 * INTERVAL
        samples = collections.defaultdict(list)
        for sample in rows_of(folder / "series/queue.csv"):
            if float(sample["t_s"]) > self.begin:
                samples[sample["port"]].append(float(sample["bytes"]))
        self.mean_queue = max((sum(its) / len(its) for its in samples.values()), default=0.0)
        self.p99_queue = max((sorted(its)[len(its) * 99 // 100] for its in samples.values()), default=0.0)

    def total(self, name):
        return self.metrics["aggregate"][name]

    def begun(self):
        return [flow for flow in self.flows if float(flow["start_s"]) < self.end]

    def share(self, flow):
        """Returns the share of the window in which the flow has data to send."""
        last = float(flow["end_s"]) if flow["end_s"] else self.end
        return max(0.0, last - max(self.begin, float(flow["start_s"]))) / self.window if self.window else 0.0

    def use(self, link):
        """Returns the share of the window in which a link sends, computed from its bytes and the overhead of each
        packet."""
        row = next(one for one in self.metrics["links"] if one["name"] == link)
        packets = sum(got for flow, got in self.got.items()) / PAYLOAD if link == "s0->h0" else 0
        wire = row["tx_bytes"] + packets * OVERHEAD * self.has_overhead()
        return wire * 8 / self.rate / self.window if self.window else 0.0

    def short_use(self, end, flow):
        """Returns the share of the window for which short flows use the link at this end ("from" or "to") of a
        flow."""
        got = sum(self.got[other["id"]] for other in self.flows
                  if other[end] == flow[end] and self.share(other) < 0.9)
        return got * 8 * WIRE / PAYLOAD / self.rate / self.window

    def has_overhead(self):
        return self.params["topology.link.overhead"]["value"] != "0B"

    def lossless(self):
        return self.config["switch"]["pfc"]["enabled"]

    def algorithm(self):
        return self.config["nic"]["congestion_control"]["algorithm"]

    def controller(self):
        return self.algorithm() == "dcc"

    def trip(self):
        """Returns the time of twelve links in the empty network, an upper limit of any round trip."""
        return 12 * (self.delay + (WIRE + 20 + OVERHEAD) * 8 / self.rate)

    def by_weight(self):
        return self.config["nic"]["congestion_control"].get("policy") == "proportional"

    def real(self):
        return self.config["nic"].get("payload") == "real"

    def value(self, path):
        return quantity(self.params[path]["value"])


def quantity(text):
    """Returns the value of a text such as 5us, in s, bytes or bit/s; a number without a unit is returned unchanged."""
    units = {"Tbps": 1e12, "Gbps": 1e9, "Mbps": 1e6, "kbps": 1e3, "bps": 1, "ps": 1e-12, "ns": 1e-9, "us": 1e-6,
             "ms": 1e-3, "s": 1, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "GB": 1e9, "MB": 1e6, "KB": 1e3, "B": 1}
    for unit, scale in units.items():
        if text.endswith(unit):
            return float(text[:-len(unit)]) * scale
    return float(text)


# ---------------------------------------------------------------- decisions: True, False, or None

def idle_link(left):
    long = [flow for flow in left.begun() if left.share(flow) >= 0.9]
    if any(near(left.share(flow), 0.9) for flow in left.begun() if flow["end_s"]):
        return None
    told = above(left.window, 20 * left.trip())
    if not long or told is False:
        return False
    idle = []
    for flow in long:
        if flow["to"] != "0":
            return None
        ends = max(left.use("s0->h0") + left.short_use("from", flow),
                   left.use(f"h{flow['from']}->s0") + left.short_use("to", flow))
        limit = next((quantity(e["rate"]) for e in left.config["traffic"] if "rate" in e), left.rate)
        got = left.got[flow["id"]] * 8 / left.window
        at_limit = above(got, 0.7 * limit) if limit < left.rate else False
        memory = False
        if left.real():
            received = sum(left.got[other["id"]] for other in left.flows if other["to"] == flow["to"])
            memory = above(received * 8 / left.window, 0.7 * left.value("nic.dma.rate"))
        # This limit has half of the usual undecided range, because rates end close to the limit.
        few = None if abs(ends - 0.9) < 0.03 else ends < 0.9
        idle.append(both(few, *(None if x is None else not x for x in (at_limit, memory))))
    return both(told, any_of(idle))


def timeouts_without_loss(left):
    timeouts = left.total("timeouts")
    if timeouts == 0 or left.metrics["balance"]["packets_dropped"] > 0:
        return False
    again = sum(int(flow["retransmits"]) for flow in left.flows)
    flows, packets = above(timeouts, len(left.begun()) / 100), above(again, sum(left.got.values()) / PAYLOAD / 1000)
    return any_of((flows, packets))


def lossless_loss(left):
    return left.lossless() and left.total("drops") > 0


def weights_without_effect(left):
    weights = {"10": 1, "46": left.config["dscp"][46]["weight"]}
    if weights["46"] == 1 or any("bytes" in entry for entry in left.config["traffic"]):
        return False
    told = above(left.window, 100 * left.trip())
    means = {}
    for dscp in weights:
        got = [left.got[flow["id"]] for flow in left.begun() if flow["dscp"] == dscp]
        if not got or sum(got) == 0:
            return False
        means[dscp] = sum(got) / len(got)
    effect = math.log(means["46"] / means["10"]) / math.log(weights["46"])
    return both(told, None if abs(effect - 0.25) < 0.05 else effect < 0.25)


def weights_missed(left):
    weights = {"10": 1, "46": left.config["dscp"][46]["weight"]}
    flows, got = left.begun(), {dscp: 0.0 for dscp in weights}
    for flow in flows:
        got[flow["dscp"]] += left.got[flow["id"]]
    number = {dscp: sum(flow["dscp"] == dscp for flow in flows) for dscp in weights}
    everything = sum(got.values())
    if not left.controller() or weights["46"] == 1 or 0 in number.values() or everything == 0:
        return False
    alone = len(flows) <= 16  # With more than 16 flows the diagnosis judges classes and not single flows.
    parties = ([(weights[flow["dscp"]], left.got[flow["id"]]) for flow in flows] if alone
               else [(weights[dscp] * number[dscp], got[dscp]) for dscp in weights])
    whole = sum(weight for weight, _ in parties)
    error = max(abs(its / everything * whole / weight - 1) for weight, its in parties)
    # Packets of the lightest flow in the window, if the flow gets its share.
    packets = everything * min(weight for weight, _ in parties) / whole / PAYLOAD
    if near(packets, 1000):
        return None
    # With few packets only an error beyond five standard deviations counts.
    large = above(error, 5 / math.sqrt(0.03 * packets)) if packets < 1000 else (
        None if abs(error - 0.08) < 0.03 else error > 0.08)
    without_effect = weights_without_effect(left)
    return both(large, None if without_effect is None else not without_effect)


def unequal_flows(left):
    told = both(above(left.window, 20 * left.trip()), above(left.use("s0->h0"), 0.8))
    if told is False or "rate" in left.config["traffic"][0]:
        return False
    classes = collections.defaultdict(list)
    for flow in left.begun():
        weighs = left.controller() and left.config["dscp"][int(flow["dscp"])]["weight"] != 1
        if flow["to"] != "0" or weighs or float(flow["start_s"]) > left.begin:
            continue
        if near(left.share(flow), 0.9):
            return None
        if left.share(flow) >= 0.9:
            classes[flow["dscp"]].append(flow)
    return any_of(both(told, differ(left, flows)) for flows in classes.values())


def differ(left, flows):
    """Returns whether the rates of flows of one class differ; None near the limits and where a sender's own link
    may limit its rate."""
    if len(flows) < 2:
        return False
    got = [left.got[flow["id"]] for flow in flows]
    mean = sum(got) / len(got)
    error = max(abs(its - mean) for its in got) / mean if mean else 0.0
    if any(its < mean and left.use(f"h{flow['from']}->s0") > 0.9 for its, flow in zip(got, flows)):
        return None
    if left.real() and error > 0.17:  # The sending software may post too little data.
        return None
    return both(None if abs(error - 0.2) < 0.03 else error > 0.2, above(mean / PAYLOAD, 200))


def standing_queue(left):
    flows = [flow for flow in left.begun() if left.share(flow) >= 0.9]
    if left.algorithm() == "none" or not flows or left.metrics["balance"]["packets_dropped"] > 0:
        return False
    if any(near(left.share(flow), 0.9) for flow in left.begun() if flow["end_s"]):
        return None
    # If the algorithm reacts to marks, the thresholds themselves ask for a queue of the length at which all packets
    # are marked.
    wanted = 0.0
    if left.params["switch.ecn.enabled"]["value"] == "true" and left.algorithm() in ("dcqcn", "dcc", "dctcp"):
        wanted = left.value("switch.ecn.kmax")
    most = max(4 * left.trip() / 3 * left.rate / 8, (24 + 2 * len(flows)) * (WIRE + 20))
    # Samples of an oscillating queue lie far from its mean and its quantile.
    long = [None if abs(got - limit) < 0.2 * limit else got > limit
            for got, limit in ((left.mean_queue, wanted), (left.mean_queue, most / 2), (left.p99_queue, most))]
    sent = left.use("s0->h0") * left.window * left.rate / 8
    drains = all(flow["completed"] == "true" for flow in flows)
    return both(above(left.window, 20 * left.trip()), above(sent, 4 * left.mean_queue) if drains else True, *long)


def host_slower_than_port(left):
    if not left.real():
        return False
    rate, latency = left.value("nic.dma.rate"), left.value("nic.dma.latency")
    reads = left.value("nic.dma.outstanding") * PAYLOAD * 8 / (latency + PAYLOAD * 8 / rate)
    wire = WIRE + OVERHEAD * left.has_overhead()
    return above(left.rate * PAYLOAD / wire, min(rate, reads))


def traffic_ends_early(left):
    starts = [quantity(entry.get("start", "0us")) for entry in left.config["traffic"]]
    if max(starts) >= quantity(left.config["duration"]):
        return True
    if any(flow["completed"] != "true" for flow in left.begun()):
        return False
    if left.window == 0:
        return True
    # A series samples at intervals, so its last sample may miss the last bytes of a flow.
    # The last byte may reach memory later than its acknowledgement reaches the sender.
    idle = left.begin + left.window - max([left.begin, *(
        max(float(flow["end_s"] or flow["start_s"]), float(flow["start_s"]) + float(flow["fct_rx_s"] or 0))
        for flow in left.begun())])
    return above(idle, left.window / 10)


def starving_flows(left):
    open_flows = [flow for flow in left.begun() if flow["completed"] != "true"]
    decisions = []
    nics = ["nic", *(f"nics.{i}" for i in range(len(left.config.get("nics", []))))]
    recovers = [nic for nic in nics if left.params[f"{nic}.recovery.kind"]["value"] != "none"]
    timeouts = max((2 * left.value(f"{nic}.recovery.timeout") for nic in recovers), default=0.0)
    for flow in open_flows:
        life = left.end - float(flow["start_s"])
        silence = left.end - left.last.get(flow["id"], float(flow["start_s"]))
        trips = 20 * left.trip()
        turns = 20 * len([other for other in open_flows if other["to"] == flow["to"]]) * (WIRE + 20) * 8 / left.rate
        limits = [above(silence + INTERVAL / 2, limit) for limit in (life / 4, trips, turns, timeouts)]
        # Bytes that wait for slow memory count as progress at the NIC, and appear later in the series.
        slow = left.real() and left.value("nic.dma.rate") < left.rate
        decisions.append(both(*limits, None if slow else True))
    return any_of(decisions)


def few_samples(left):
    done = sum(flow["completed"] == "true" and flow["ideal_s"] != "" for flow in left.flows)
    return len(left.flows) > 16 and 0 < done < 100


def slots_full(left):
    return left.controller() and left.total("cnps_dropped_no_slot") > 0


def pauses(left):
    if not (left.controller() and left.by_weight() and left.total("pfc_pauses") > 0 and left.window):
        return False
    return above(max(link["pause_s"] for link in left.metrics["links"]), left.window / 100)


def nearly_all_marked(left):
    if not (left.controller() and left.by_weight()):
        return False
    packets = sum(left.got.values()) / PAYLOAD
    marks = left.total("ecn_marks")
    return None if packets and abs(marks / packets - 0.99) < 0.03 else packets > 0 and marks > 0.99 * packets


def defaults_of_another_speed(left):
    control = left.config["nic"]["congestion_control"]
    source = {"sig15": 40e9, "reference": 25e9, "adapter": 25e9}.get(control.get("preset", ""))
    if source is None or "r_ai" in control:
        return False
    return max(source, left.rate) >= 4 * min(source, left.rate)


def headroom_of(left):
    """Returns the PFC headroom of one switch input: two link delays at line rate and three of the largest packets."""
    set_by_hand = left.config["switch"]["pfc"].get("headroom")
    if set_by_hand:
        return quantity(set_by_hand)
    return 2 * left.delay * left.rate / 8 + 3 * (WIRE + 20 + OVERHEAD)


def headroom_exceeds_buffer(left):
    inputs = left.config["topology"]["hosts"] - 1
    return left.lossless() and above(inputs * headroom_of(left), quantity(left.config["switch"]["buffer"]))


def thresholds_beyond_buffer(left):
    if left.algorithm() in ("none", "timely", *DELAYS_AND_LOSSES):
        return False
    buffer, kmin = quantity(left.config["switch"]["buffer"]), left.value("switch.ecn.kmin")
    if not left.lossless():
        return above(kmin, buffer)
    hosts = left.config["topology"]["hosts"]
    shared = max(0.0, buffer - (hosts - 1) * headroom_of(left))
    alpha = (hosts - 1) * quantity(left.params["switch.pfc.alpha"]["value"])
    return above(kmin, shared * alpha / (1 + alpha)) if shared > 0 else True


def unused_parameters(left):
    unused = [("dma" in left.config["nic"]) and not left.real(),
              "controller" in left.config["nic"] and not left.controller(),
              "headroom" in left.config["switch"]["pfc"] and not left.lossless()]
    return any(unused)


ORACLES = {decide.__name__: decide for decide in (
    defaults_of_another_speed, few_samples, headroom_exceeds_buffer, host_slower_than_port, idle_link, lossless_loss,
    nearly_all_marked, pauses, slots_full, standing_queue, starving_flows, thresholds_beyond_buffer,
    timeouts_without_loss, traffic_ends_early, unequal_flows, unused_parameters, weights_missed,
    weights_without_effect)}


# ---------------------------------------------------------------- the campaign

def judged(config):
    """Returns (ids of the diagnoses that a run reported, {id: decision of the oracle}), or the program's message if
    there are no results."""
    with program.results_of(json.dumps(config), ["--threads", "1"]) as (metrics, folder):
        if isinstance(metrics, str):
            return metrics
        _, listed, _ = program.call("params", folder / "config.effective.yaml", "--format", "json")
        left = Left(config, {row["path"]: row for row in json.loads(listed)}, metrics, folder)
    told = {finding["id"] for finding in left.metrics["diagnoses"]}
    return told, {name: decide(left) for name, decide in ORACLES.items()}


def main(arguments):
    parser = argparse.ArgumentParser(prog="diagnosis_oracle.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--points", type=int, default=20, help="number of configurations (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default 1)")
    parser.add_argument("--show", type=int, metavar="N", help="print configuration N instead of running")
    chosen = parser.parse_args(arguments)
    rng = random.Random(chosen.seed)
    counts = {name: collections.Counter() for name in ORACLES}
    differ = refused = 0
    for number in range(1, chosen.points + 1):
        config = drawn(rng)
        if chosen.show is not None:
            if chosen.show == number:
                print(json.dumps(config, indent=1))
            continue
        result = judged(config)
        if isinstance(result, str):
            refused += 1
            print(f"{number}: no results: {result[:200]}")
            continue
        told, decisions = result
        for name, decision in decisions.items():
            counts[name]["told"] += name in told
            counts[name]["open" if decision is None else "agree" if decision == (name in told) else "differ"] += 1
            if decision is not None and decision != (name in told):
                differ += 1
                print(f"{number}: {name} is {'told' if name in told else 'silent'}, the oracle says otherwise")
        for name in sorted(told - set(ORACLES)):
            print(f"{number}: {name} is told and has no oracle")
    if chosen.show is not None:
        return 0
    columns = ("told", "agree", "differ", "open")
    table = [["diagnosis", *columns], *([name, *(str(count[c]) for c in columns)] for name, count in counts.items())]
    sys.stdout.write(text_table(table))
    print(f"{chosen.points - refused} of {chosen.points} configurations ran; {differ} decisions differ")
    return 1 if differ or refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
