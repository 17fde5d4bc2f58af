#!/usr/bin/python3
"""Computes the mean queue of DCQCN with cuts at random times, for which the fluid model's fixed point stands.

The fluid model lets every rate follow its mean. Here one flow follows the rules of SIGCOMM 2015 packet
by packet with each packet marked at random, and the marking probability is sought at which its mean
rate is the fair share; the marking ramp (5 to 200 KB, 1 %) turns that probability into a queue.

  dcqcn_random_cuts.py [GBPS:FLOWS]...
"""
import math
import random
import sys

WIRE_BITS = 1062 * 8  # payload of 1000 bytes and its headers
CNP_INTERVAL, ALPHA_TIMER, INCREASE_TIMER = 50e-6, 55e-6, 55e-6
F, G, R_AI, R_MIN, BYTE_COUNTER = 5, 1 / 256, 40e6, 40e6, 10e6 * 8
K_MIN_KB, K_MAX_KB, P_MAX = 5, 200, 0.01


def mean_rate(p, line, duration, seed=1):
    """Returns the mean rate in bit/s of a flow whose packets are marked with probability p."""
    draw = random.Random(seed)

    def to_mark():
        return (int(math.log(1 - draw.random()) / math.log1p(-p)) + 1) * WIRE_BITS

    rate, target, alpha = line / 8, line, 1.0
    now, sent, counted = 0.0, 0.0, 0.0
    increase_at, alpha_at, cut_at = INCREASE_TIMER, ALPHA_TIMER, -1.0
    timer_events = byte_events = 0
    left = to_mark()
    while now < duration:
        waits = (left / rate, increase_at - now, alpha_at - now, (BYTE_COUNTER - counted) / rate)
        wait = min(waits)
        now += wait
        bits = rate * wait
        sent, left, counted = sent + bits, left - bits, counted + bits
        if wait == waits[0]:
            left = to_mark()
            if now - cut_at < CNP_INTERVAL:
                continue
            cut_at, target = now, rate
            rate = max(R_MIN, rate * (1 - alpha / 2))
            alpha += (1 - alpha) * G
            timer_events = byte_events = 0
            counted, increase_at, alpha_at = 0.0, now + INCREASE_TIMER, now + ALPHA_TIMER
        elif wait == waits[2]:
            alpha *= 1 - G
            alpha_at = now + ALPHA_TIMER
        else:
            if wait == waits[1]:
                timer_events += 1
                increase_at = now + INCREASE_TIMER
            else:
                byte_events += 1
                counted = 0.0
            if max(timer_events, byte_events) >= F:
                target = min(line, target + R_AI)
            rate = min(line, (rate + target) / 2)
    return sent / now


def marking_probability(fair_share, line, duration=3.0):
    low, high = 1e-5, 0.02
    for _ in range(9):
        middle = math.sqrt(low * high)
        if mean_rate(middle, line, duration) > fair_share:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def main():
    for setting in sys.argv[1:] or ("40:8", "25:2", "25:8", "100:8", "100:16"):
        gbps, flows = (float(part) for part in setting.split(":"))
        p = marking_probability(gbps * 1e9 / flows, gbps * 1e9)
        queue = K_MIN_KB + (K_MAX_KB - K_MIN_KB) * p / P_MAX
        print(f"{gbps:g} Gb/s, {flows:g} flows: p {p:.5f}, queue {queue:.1f} KB on the ramp", flush=True)


if __name__ == "__main__":
    main()
