#!/usr/bin/python3
"""Example of the golden model in Python: after a mark a flow's rate falls and recovers; two flows are paced.

    example.py LIBRARY    build/libdcc_golden.so

Checks what docs/formats.md says of the rates, and that wrong arguments are refused. Ends with PASS.
"""
import sys

from dcc_golden import BusError, Golden, Pacer, Wheel

CTRL, TICK_DIV, TIMER_INTERVAL, R_AI, R_MIN, R_MAX, INITIAL_RATE = 0x0C, 0x20, 0x24, 0x34, 0x40, 0x44, 0x48
ENABLE_DCQCN = 1 + 4 + 8
LINE = 100_000 * 256  # line rate of 100 Gb/s in 1/256 Mb/s
TABLES = ((0x1000, 64, lambda i: 4096 << 16 | 256),  # table FACTOR: factors of 1.0
          (0x1100, 64, lambda i: 0),                # table FLOOR: no floor
          (0x1200, 64, lambda i: 0xFFFF_FFFF),      # table CEILING: no ceiling
          # tables DECAY_HI and DECAY_LO: no decay of alpha
          (0x1300, 64, lambda i: 1 << 16), (0x1400, 64, lambda i: 1 << 16),
          (0x2000, 257, lambda i: (1 << 16) - 128 * i))  # table DECREASE: a cut by alpha / 2


def refused(work, kind):
    """True if `work` raises an exception of type `kind`."""
    try:
        work()
    except kind:
        return True
    return False


def paced(library):
    """Returns the bytes that two flows, paced at a fifth and a twentieth of the line rate, send in 40 000 cycles.
    Packets have 1000 bytes, and the line carries 50 bytes a cycle (100 Gb/s at 250 MHz)."""
    cycles, length, rates = 40_000, 1000, {0: LINE // 5, 9: LINE // 20}
    waiting, told, bytes_of = dict.fromkeys(rates, 0), set(), dict.fromkeys(rates, 0)
    free = 0
    with Pacer(library, scale=2048 * 250, slack=100, flows=64, width=8) as pacer:
        for cycle in range(cycles):
            shown = pacer.outputs(cycle)
            assert not shown.post_refused and not shown.strict, shown
            if shown.sent:
                flow, sent = shown.sent
                waiting[flow] -= 1
                bytes_of[flow] += sent
                free = max(free, cycle) + sent // 50
            pacer.pins(cycle, want=cycle >= free)
            new = [flow for flow in rates if flow not in told]
            if new and shown.rate_ready:
                pacer.rate(cycle, new[0], rates[new[0]], priority=3)
                told.add(new[0])
            for flow in told:
                if waiting[flow] < 4 and shown.post_ready and cycle > 100:
                    pacer.post(cycle, flow, length)
                    waiting[flow] += 1
                    break
        assert refused(lambda: pacer.outputs(0), ValueError), "a cycle in the past"
        assert refused(lambda: pacer.post(cycles, 64, 1), ValueError), "flow 64"
    assert refused(lambda: Pacer(library, scale=1, slack=1, flows=48), ValueError)
    for flow, part in ((0, 5), (9, 20)):
        ideal = (cycles - 100) * 50 / part
        assert abs(bytes_of[flow] - ideal) <= 2 * length, (flow, bytes_of[flow], ideal)
    return bytes_of


def main() -> int:
    library = sys.argv[1]
    with Golden(library, slots=64, latency=48) as model:
        cycle = 0
        for address, data in ((TICK_DIV, 250), (TIMER_INTERVAL, 2), (R_AI, 40 * 256), (R_MIN, 10 * 256),
                              (R_MAX, LINE), (INITIAL_RATE, LINE)):
            model.write(cycle, address, data)
            cycle += 10
        for base, entries, value in TABLES:
            for i in range(entries):
                model.write(cycle, base + 4 * i, value(i))
                cycle += 30
        model.write(cycle, CTRL, ENABLE_DCQCN)
        cycle += 100
        model.cnp(cycle, flow=3, dscp=10)
        answers = list(model.answers(cycle + 500_000))
        assert answers[0].flow == 3 and not answers[0].query
        # The notification is sampled at the end of its cycle, issued one cycle later, and answered 48 cycles after the
        # issue.
        assert answers[0].cycle == cycle + 2 + 48, answers[0]
        assert answers[0].rate == model.decrease(LINE, LINE, 1 << 16, 0, 10, first=True)[0] == LINE // 2
        rates = [one.rate for one in answers]
        assert rates == sorted(rates) and rates[-1] == LINE, "the rate does not come back"
        assert model.slot_of(cycle + 500_000, 3) is None, "a slot at the greatest rate is released"
        model.query(cycle + 500_001, 3)
        (answer,) = model.answers(cycle + 500_100)
        assert answer.query and answer.rate is None
        assert refused(lambda: model.read(cycle + 600_000, 0x7FC), BusError)
        assert refused(lambda: model.cnp(cycle, 3, 10), ValueError), "a cycle in the past"
        assert refused(lambda: model.cnp(cycle + 700_000, 3, 64), ValueError), "DSCP 64"
    assert refused(lambda: Golden(library, slots=0), ValueError)
    wheel = Wheel(library, slots=4)
    wheel.start(2, 10, now=5)
    wheel.start(1, 10, now=5)
    wheel.start(0, 3, now=5)
    assert wheel.cancel(0, now=6) and not wheel.cancel(0, now=6)
    assert wheel.take(14) is None
    assert [wheel.take(15) for _ in range(3)] == [(1, 15), (2, 15), None]
    wheel.close()
    told = ", ".join(f"flow {flow} {count} B" for flow, count in paced(library).items())
    print(f"PASS: {len(answers)} answers, from {rates[0] / 256:.0f} to {rates[-1] / 256:.0f} Mb/s; paced: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
