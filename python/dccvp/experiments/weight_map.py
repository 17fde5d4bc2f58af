"""Checks whether shares follow the weights on many different networks. dccvp's tool `weight-map`: draws points over
thresholds, rate, round trip, flows and weights, some beside flows of plain DCQCN, runs each on a star, and prints
the error of the shares at rest.

A point is silent and wrong if its error is above the limit and no diagnosis of the run reports its weights; then
the exit status is 1. New points come with another --seed.
"""

import argparse
import csv
import dataclasses
import math
import pathlib
import random
import sys

from dccvp import program
from dccvp.common.text_table import text_table
from dccvp.experiments.study_measure import class_error, share_error

LIMIT = 0.08
PACKET_BITS = 1082 * 8       # Bits on the wire of a full packet with 1000 B of payload.
# Greatest number of flows that each have a host and are judged one by one; more flows are judged by class.
FLOWS_ALONE = 16
# Least number of packets that the lightest flow must send in the window (docs/differentiation.md, "Noise").
LIGHTEST_PACKETS = 2000
RATES = (10, 25, 40, 100, 100, 200, 400, 800)  # bottleneck rates in Gb/s from which points are drawn
WEIGHTS = ((1, 2), (1, 4), (1, 8), (1, 2, 4, 8), (1, 3, 9), (15, 60), (0.125, 1), (0.25, 0.5))
# Ids of the diagnoses that report a difference between shares and weights.
TELLING = {"weights_missed", "weights_without_effect"}
BESIDE = {"dcqcn": "congestion_control: {algorithm: dcqcn}", "cubic": "transport: {kind: tcp, ecn: true}"}
COLUMNS = ("point", "rate", "RTT us", "Kmin KB", "Kmax KB", "Pmax", "mark at", "flows", "beside", "weights", "error %",
           "use", "marks %", "queue KB", "pauses", "told")


@dataclasses.dataclass
class Point:
    """A network and the flows in it; times in seconds, sizes in bytes."""
    rate: int
    rtt: float
    kmin: float
    kmax: float
    pmax: float
    mark_at: str
    weights: list
    beside: int = 0  # Number of flows without weights at the same port, each from a host of its own.
    beside_kind: str = "dcqcn"  # Kind of the flows without weights, a key of BESIDE.

    @staticmethod
    def drawn(rng, most_flows=1024, most_packets=math.inf):
        """Draws a point whose run needs at most `most_packets`; points that need more are drawn again."""
        while True:
            point = Point.drawn_once(rng, most_flows)
            if point.packets() <= most_packets:
                return point

    @staticmethod
    def drawn_once(rng, most_flows):
        def between(low, high):
            return math.exp(rng.uniform(math.log(low), math.log(high)))
        rate, rtt, kmin = rng.choice(RATES), between(2e-6, 200e-6), between(5e3, 3.2e6)
        step = rng.random() < 0.15
        kmax = kmin if step else kmin * rng.uniform(2, 8)
        pmax = 1.0 if step else between(0.01, 1)
        mark_at, flows, weights = rng.choice(("enqueue", "dequeue")), round(between(2, most_flows)), rng.choice(WEIGHTS)
        beside = rng.randint(1, 4) if rng.random() < 0.15 else 0
        return Point(rate, rtt, kmin, kmax, pmax, mark_at, [weights[i % len(weights)] for i in range(flows)], beside)

    def rest(self):
        """Returns (start, length) of the measured window: it begins after the queue has been filled several times
        and after ten time constants of the shares, and is long enough for the packets that the lightest flow (or
        class) must send."""
        rate = self.rate * 1e9
        constant = PACKET_BITS / 13.7e6 * max(1.0, (100e9 / rate) ** (2 / 3))
        # mean length of the queue at rest; see vp/config/step_rule.cpp
        at_rest = self.kmin + (self.kmax - self.kmin) * min(1, 0.15 / self.pmax)
        late = self.rtt + (at_rest * 8 / rate if self.mark_at == "enqueue" else 0)
        under_way = self.rtt * rate / 8
        finer = 2 if self.kmax < under_way / 8 else 1 if self.kmax < under_way / 2 else 0
        if self.mark_at == "enqueue" and self.pmax < 0.15:
            finer = max(1, finer)
        # number by which the law divides its increase steps
        slower = 2 ** (finer + min(4, max(0, math.ceil(math.log2(late * 4 / 3 / 32e-6)))))
        settled = 0.01 + 10 * constant * slower + 10 * self.kmax * 8 / rate + 200 * self.rtt
        least = min(self.weights)
        part = sum(self.weights) / least
        if len(self.weights) > FLOWS_ALONE:
            part *= 5 / self.weights.count(least)
        if self.beside:  # Flows without weights may take two thirds of the link.
            part *= 3
        # The diagnosis idle_link judges windows of 20 round trips over at most 12 links.
        return settled, max(0.01, 70 * self.rtt, LIGHTEST_PACKETS * part * PACKET_BITS / rate)

    def packets(self):
        """Returns the number of full packets that fit on the link during the run, which determines the cost of the
        run."""
        return self.rate * 1e9 * sum(self.rest()) / PACKET_BITS

    def yaml(self, seed):
        hosts = min(len(self.weights), FLOWS_ALONE)
        inputs = hosts + self.beside
        # bytes of PFC headroom for all inputs of the switch
        headroom = inputs * (2 * max(50e-9, self.rtt / 4) * self.rate * 1e9 / 8 + 10e3)
        classes = sorted(set(self.weights))
        start, length = self.rest()
        links, to, others_to = f"rate: {self.rate}Gbps, delay: {max(50, self.rtt / 4 * 1e9):.0f}ns, overhead: 20B", 0, 0
        topology, others = f"kind: star, hosts: {inputs + 1}, link: {{{links}}}", f"{hosts + 1}..{inputs}"
        # TCP flows need a receiver of their own, so TCP and RDMA flows meet on a link between two switches.
        if self.beside_kind == "cubic":
            to, others_to = inputs + 1, inputs + 2
            links = f"rate: {self.rate}Gbps, delay: {max(50, self.rtt / 8 * 1e9):.0f}ns, overhead: 20B"
            topology = (f"kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: {inputs + 1}, "
                        f"host_link: {{{links}}}, fabric_link: {{{links}}}")
            others = ", ".join(map(str, [*range(hosts + 1, inputs + 1), others_to]))
        lines = [
            f"seed: {seed}", f"duration: {(start + length) * 1e6:.0f}us", f"measure: {{from: {start * 1e6:.0f}us}}",
            f"topology: {{{topology}}}",
            f"switch: {{buffer: {int(max(32 << 20, 24 * self.kmax) + headroom)}B, ecn: {{kmin: {self.kmin:.0f}B, "
            f"kmax: {self.kmax:.0f}B, pmax: {self.pmax:.5f}, mark_at: {self.mark_at}}}}}",
            "nic: {recovery: {timeout: 100ms}, congestion_control: {algorithm: dcc, policy: proportional}}",
            "host: {driver: none}", "output: {plots: false, series: {flows: none, queues: none, classes: false}}",
            "dscp: {" + ", ".join(f"{10 + i}: {{weight: {w}}}" for i, w in enumerate(classes)) + "}", "traffic:"]
        if self.beside:
            lines.insert(0, f"nics: [{{hosts: [{others}], {BESIDE[self.beside_kind]}}}]")
        lines += [f"  - {{kind: flow, from: {1 + i % hosts}, to: {to}, dscp: {10 + classes.index(w)}, start: 200us}}"
                  for i, w in enumerate(self.weights)]
        lines += [f"  - {{kind: flow, from: {host}, to: {others_to}, dscp: 0, start: 200us}}"
                  for host in range(hosts + 1, inputs + 1)]
        return "\n".join(lines) + "\n"


def run(point, seed, settings=()):
    """Returns the figures of a point with additional settings (KEY=VALUE), or the program's message if the run left
    no figures."""
    with program.results_of(point.yaml(seed), [f"-c{setting}" for setting in settings]) as (metrics, _):
        if isinstance(metrics, str):
            return metrics
    goodput = [flow["goodput_gbps"] or 0.0 for flow in metrics["flows"]]
    weighted = goodput[:len(point.weights)]
    error = share_error if len(point.weights) <= FLOWS_ALONE else class_error
    total = metrics["aggregate"]
    return {"error": error(weighted, point.weights), "use": sum(goodput) * 1.082 / point.rate,
            "marks": total["ecn_marks"] / max(1, total["data_received"]), "pauses": total["pfc_pauses"],
            "queue": max(q["mean_bytes"] for q in metrics["queues"]),
            "told": [finding["id"] for finding in metrics["diagnoses"]],
            "why": [finding["text"] for finding in metrics["diagnoses"] if finding["id"] in TELLING]}


def row(number, point, found):
    head = [str(number), f"{point.rate}G", f"{point.rtt * 1e6:.1f}", f"{point.kmin / 1e3:.0f}",
            f"{point.kmax / 1e3:.0f}", f"{point.pmax:.3f}", point.mark_at, str(len(point.weights)), str(point.beside),
            ":".join(f"{w:g}" for w in sorted(set(point.weights)))]
    if isinstance(found, str):
        return head + ["-"] * 5 + [found[:60]]
    return head + [f"{found['error'] * 100:.1f}", f"{found['use']:.3f}", f"{found['marks'] * 100:.2f}",
                   f"{found['queue'] / 1e3:.0f}", str(found["pauses"]),
                   " ".join(found["told"]) or "-"]


def main(arguments):
    parser = argparse.ArgumentParser(prog="weight-map", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--points", type=int, default=20, help="number of points (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default 1)")
    parser.add_argument("--run-seeds", type=int, default=1, help="runs of each point, with seeds from 1 on")
    parser.add_argument("--most-flows", type=int, default=1024, help="greatest number of flows (default 1024)")
    parser.add_argument("--most-packets", type=float, default=math.inf, metavar="N",
                        help="draw points again whose run would have more packets (default: no limit)")
    parser.add_argument("--beside", choices=sorted(BESIDE),
                        help="each point has two flows of this kind beside, if none are drawn (default: plain DCQCN "
                             "where they are drawn)")
    parser.add_argument("-c", dest="settings", action="append", default=[], metavar="KEY=VALUE",
                        help="a setting for all runs, to compare the same points with and without it")
    parser.add_argument("--why", action="store_true", help="print what the diagnoses say of points beyond the limit")
    parser.add_argument("--csv", type=pathlib.Path, help="file for the table")
    chosen = parser.parse_args(arguments)
    rng = random.Random(chosen.seed)
    rows, why, within, silent, judged = [], [], 0, 0, 0
    for number in range(chosen.points):
        point = Point.drawn(rng, chosen.most_flows, chosen.most_packets)
        if chosen.beside:
            point.beside, point.beside_kind = point.beside or 2, chosen.beside
        for seed in range(1, chosen.run_seeds + 1):
            found = run(point, seed, chosen.settings)
            rows.append(row(number, point, found))
            if isinstance(found, str):
                continue
            judged += 1
            within += found["error"] <= LIMIT
            why += [f"point {number}: {text}" for text in found["why"] if chosen.why and found["error"] > LIMIT]
            silent += found["error"] > LIMIT and not TELLING & set(found["told"])
    sys.stdout.write(text_table([list(COLUMNS), *rows]) + "".join(f"{line}\n" for line in why))
    if chosen.csv:
        with open(chosen.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
    print(f"{within} of {judged} runs within {LIMIT * 100:g} %; {silent} wrong and not told of")
    return 1 if silent or judged < len(rows) else 0
