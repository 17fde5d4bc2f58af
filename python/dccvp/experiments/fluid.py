"""Fixed points and phase margins of the fluid models of DCQCN and of TIMELY's patched form.

  tool.py fluid dcqcn|timely [--flows 2,10,64] [--delay 0us,50us] [--rate 40Gbps] [--step 40Mbps]
                             [--kmin 5KB] [--kmax 200KB] [--pmax 1%]

N equal flows share one link, whose feedback reaches them after a delay. The models are those of Zhu, Ghobadi, Misra
and Padhye, "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016. A loop is stable if its
phase margin is above zero. The tool prints two margins: the margin of the model linearised at its fixed point, and
the margin of the authors' own linearisation (Dcqcn.published, PatchedTimely.published), which the figures of the
paper show.
"""

import argparse
import cmath
import dataclasses
import math

import numpy

from dccvp.common import quantity
from dccvp.common.ending import InputError
from dccvp.common.text_table import text_table

PACKET = 1000  # bytes of a packet; the models count packets


def crossovers(loop, low=1.0, high=1e8, steps=4000):
    """Returns [(phase margin in degrees, rad/s)] for every frequency at which the gain of the loop crosses 1. The
    phase is followed from the lowest frequency on, since a delay turns the phase many times."""
    found = []
    ratio = (high / low) ** (1 / steps)
    at, value = low, loop(low)
    phase = cmath.phase(value)
    for _ in range(steps):
        next_at = at * ratio
        next_value = loop(next_at)
        if (abs(value) - 1) * (abs(next_value) - 1) < 0:
            left, right = at, next_at
            for _ in range(50):
                middle = math.sqrt(left * right)
                if (abs(loop(left)) - 1) * (abs(loop(middle)) - 1) <= 0:
                    right = middle
                else:
                    left = middle
            margin = 180 + math.degrees(phase + cmath.phase(loop(left) / value))
            found.append((margin - 360 if margin > 180 else margin, left))
        phase += cmath.phase(next_value / value)
        at, value = next_at, next_value
    return found


def phase_margin(loop):
    """Returns the least phase margin in degrees over all gain crossovers; None if the gain never crosses 1."""
    return min((margin for margin, _ in crossovers(loop)), default=None)


@dataclasses.dataclass
class Dcqcn:
    """DCQCN's fluid model: alpha, Rt and Rc of N equal flows, and a queue with a linear marking probability."""

    flows: int
    rate: float = 40e9  # rate of the link in bit/s
    step: float = 40e6  # additive increase R_AI in bit/s
    kmin: float = 5e3  # marking threshold Kmin in bytes
    kmax: float = 200e3
    pmax: float = 0.01
    cnp_interval: float = 50e-6
    alpha_timer: float = 55e-6
    timer: float = 55e-6
    byte_counter: float = 10e6
    fast_recovery: int = 5
    g: float = 1 / 256

    def __post_init__(self):
        self.capacity = self.rate / 8 / PACKET  # Capacity of the link in packets per second.
        self.share = self.capacity / self.flows
        self.increase = self.step / 8 / PACKET
        self.counter = self.byte_counter / PACKET
        # slope of the marking probability, per packet in the queue
        self.slope = self.pmax / ((self.kmax - self.kmin) / PACKET)

    def events(self, p, rate):
        """Returns, for a flow whose packets are marked with probability p: the share of CNP intervals with a mark;
        the events of byte counter and timer per packet sent, all of them and those beyond fast recovery; alpha."""
        unmarked = math.log1p(-p)

        def every(packets):  # Returns p / ((1 - p)^-packets - 1), and the same value if F more packets follow.
            each = p * math.exp(packets * unmarked) / -math.expm1(packets * unmarked)
            return each, each * math.exp(self.fast_recovery * packets * unmarked)
        by_bytes, beyond_bytes = every(self.counter)
        by_time, beyond_time = every(self.timer * rate)
        return (-math.expm1(self.cnp_interval * rate * unmarked), by_bytes + by_time,
                beyond_bytes + beyond_time, -math.expm1(self.alpha_timer * rate * unmarked))

    def marking(self):
        """Returns the marking probability p at the fixed point, where cuts and increases balance."""
        low, high = 1e-12, 0.999
        for _ in range(200):
            p = math.sqrt(low * high)
            cut, all_events, beyond, alpha = self.events(p, self.share)
            # `beyond` underflows to 0 for large p
            if cut * cut * alpha > all_events * beyond * self.cnp_interval**2 * self.increase * self.share:
                high = p
            else:
                low = p
        return math.sqrt(low * high)

    def queue(self, p):
        """Returns the length of the queue in bytes at which packets are marked with probability p."""
        return self.kmin + p / self.pmax * (self.kmax - self.kmin)

    def at_rest_queue(self):
        """Returns the length of the queue at the fixed point, in bytes."""
        return self.queue(self.marking())

    def is_beyond_marking(self):
        """True if the fixed point lies above Kmax, where a real queue marks every packet while the model's line
        continues."""
        return self.marking() > self.pmax

    def at_rest(self, p):
        """Returns [alpha, Rt, Rc] at the fixed point."""
        cut, all_events, _, alpha = self.events(p, self.share)
        return [alpha, self.share + cut * alpha / (all_events * self.cnp_interval), self.share]

    def slopes(self, state, p, heard):
        """Returns the time derivatives of [alpha, Rt, Rc]; `p` and `heard` (the rate at which marked packets were
        sent) are one delay old."""
        alpha, target, rate = state
        cut, all_events, beyond, marked = self.events(p, heard)
        return [self.g / self.alpha_timer * (marked - alpha),
                -(target - rate) / self.cnp_interval * cut + self.increase * heard * beyond,
                -rate * alpha / (2 * self.cnp_interval) * cut + (target - rate) / 2 * heard * all_events]

    def loop(self, delay):
        """Returns the gain, by frequency, of the loop opened at the marking by the queue."""
        p = self.marking()
        rest = self.at_rest(p)

        def derivative(change, size):
            h = size * 1e-6
            return [(a - b) / (2 * h) for a, b in zip(self.slopes(*change(h)), self.slopes(*change(-h)))]

        def moved(i):
            return lambda h: ([x + h * (i == k) for k, x in enumerate(rest)], p, self.share)
        own = [derivative(moved(i), rest[i]) for i in range(3)]  # columns of the partial derivatives: by alpha, Rt, Rc
        by_heard = derivative(lambda h: (rest, p, self.share + h), self.share)
        by_mark = derivative(lambda h: (rest, p + h, self.share), p)

        def gain(w):
            s = 1j * w
            late = cmath.exp(-s * delay)
            matrix = [[s * (i == k) - own[k][i] - (by_heard[i] * late if k == 2 else 0) for k in range(3)]
                      for i in range(3)]
            return -numpy.linalg.solve(matrix, [x * late for x in by_mark])[2] * self.flows * self.slope / s
        return gain

    def published(self, delay):
        """Returns the gain of the loop as in figure 3 of the paper. Unlike `loop`, this linearisation takes p from
        the cube root, events linear in p and an alpha that follows each packet; it counts the linear part of an
        increase step (A R_AI) for the present rate and for the rate one delay ago; and it opens the loop at the
        feedback of rates."""
        rate, g = self.share, self.g
        a = 1 / self.counter + 1 / (self.timer * rate)
        p = (self.increase * a * a / (self.alpha_timer * rate**2)) ** (1 / 3)
        cut, _, beyond, alpha = self.events(p, rate)
        target = rate * (1 + beyond * self.cnp_interval * self.increase / cut)
        # Number of events beyond fast recovery that are lost with each mark.
        beyond_mark = 1 + 2 * self.fast_recovery + a / 2
        back = a / 2 - (0.5 + a / 4) * p  # rate that increases regain, by half of all events

        def gain(w):
            s = 1j * w
            mark = self.slope * self.flows / s
            target_now = (p * rate + a * self.increase) / (s + p * rate)
            target_late = (p * (rate - target) + self.increase * (a - beyond_mark * p)
                           + (rate * (rate - target) - beyond_mark * self.increase * rate) * mark)
            heard = ((-rate * rate * alpha / 2 - (0.5 + a / 4) * rate * (target - rate)) * mark
                     - p * rate * alpha / 2 - back * rate
                     - p * rate * rate / 2 * g * rate / (s + g * rate) * mark
                     + back * rate * target_late / (s + p * rate))
            now = -p * rate * alpha / 2 + back * (target - rate) + back * rate * target_now
            return heard / (now - s) * cmath.exp(-s * delay)
        return gain


@dataclasses.dataclass
class PatchedTimely:
    """Fluid model of patched TIMELY (algorithm 2 of the paper): rates of N equal flows that measure the delay of a
    queue."""

    flows: int
    rate: float = 10e9  # rate of the link in bit/s
    step: float = 10e6  # TIMELY's additive step delta in bit/s
    t_low: float = 50e-6
    min_rtt: float = 20e-6
    beta: float = 0.008
    ewma: float = 0.875
    segment: float = 16e3  # bytes of a TIMELY segment

    def is_beyond_marking(self):
        return False

    def at_rest_queue(self):
        """Returns the length of the queue at the fixed point, in bytes."""
        reference = self.rate / 8 * self.t_low
        return reference + self.flows * self.step * reference / (self.beta * self.rate)

    def loop(self, delay, weight_slope=2):
        """Returns the gain of the loop; `weight_slope`: slope of a decrease's weight over the gradient, 2 in
        algorithm 2."""
        share = self.rate / self.flows
        every = self.segment * 8 / share  # Seconds between two completed segments of a flow.
        heard_after = (self.at_rest_queue() + PACKET) * 8 / self.rate + delay

        def gain(w):
            s = 1j * w
            queue = self.flows / s  # Bits of queue per bit/s of a flow's rate.
            gradient = (queue / self.rate / self.min_rtt * (1 - cmath.exp(-s * every))
                        * self.ewma / (every * s + self.ewma))
            pushed = (2 * weight_slope * self.step * gradient
                      + self.beta / 2 * share / (self.rate * self.t_low) * queue)
            return pushed / (every * s + self.step / (2 * share)) * cmath.exp(-s * heard_after)
        return gain

    def published(self, delay):
        """Returns the gain of the loop as in the figure of the paper, with a slope of 1/2."""
        return self.loop(delay, 0.5)


def quantity_of(text, kind):
    """Returns the quantity of an option in bit/s, bytes, seconds, or as a fraction of 1."""
    parsed = quantity.parse(text)
    if parsed is None or parsed[1] != kind:
        raise InputError(f"'{text}' is no {kind or 'share'}")
    return quantity.number(text)


def several(text, kind):
    return [quantity_of(part, kind) for part in text.split(",")]


def flow_counts(text):
    counts = text.split(",")
    if not all(part.isdigit() and int(part) > 0 for part in counts):
        raise InputError(f"--flows: '{text}' is no list of numbers of flows, such as 2,10,64")
    return [int(part) for part in counts]


def margin_text(loop):
    margin = phase_margin(loop)
    return "-" if margin is None else f"{margin:.1f}"


def main(argv):
    parser = argparse.ArgumentParser(prog="tool.py fluid", description=__doc__.split("\n", 1)[0])
    parser.add_argument("model", choices=("dcqcn", "timely"))
    parser.add_argument("--flows", default="2,10,64")
    parser.add_argument("--delay", default="0us,50us,100us")
    for name in ("rate", "step", "kmin", "kmax", "pmax"):
        parser.add_argument(f"--{name}")
    options = parser.parse_args(argv)
    kinds = {"rate": "rate", "step": "rate", "kmin": "size", "kmax": "size", "pmax": ""}
    given = {name: quantity_of(getattr(options, name), kind) for name, kind in kinds.items()
             if getattr(options, name) is not None}
    if options.model == "timely" and not given.keys() <= {"rate", "step"}:
        raise InputError("timely: only --rate and --step of these; it has no marks")
    delays = several(options.delay, "time")
    rows = [["flows", "queue KB", *(f"margin at {delay * 1e6:g} us" for delay in delays),
             *(f"as published, {delay * 1e6:g} us" for delay in delays)]]
    for flows in flow_counts(options.flows):
        model: Dcqcn | PatchedTimely
        model = Dcqcn(flows, **given) if options.model == "dcqcn" else PatchedTimely(flows, **given)
        queue = f"{model.at_rest_queue() / 1e3:.1f}" + (" (above Kmax)" if model.is_beyond_marking() else "")
        rows.append([str(flows), queue, *(margin_text(model.loop(delay)) for delay in delays),
                     *(margin_text(model.published(delay)) for delay in delays)])
    print(text_table(rows), end="")
    return 0
