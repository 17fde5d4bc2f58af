#!/usr/bin/python3
"""Tests the fluid models of DCQCN and TIMELY: fixed points satisfy the models' equations, stability margins equal the
published ones, and a loop with a positive margin settles.

  fluid_test.py DCCVP
"""

import collections
import contextlib
import io
import math
import unittest

from package import main
from dccvp.common.ending import InputError
from dccvp.experiments import fluid
from dccvp.experiments.fluid import Dcqcn, PatchedTimely, phase_margin


class FixedPointTest(unittest.TestCase):
    def test_nothing_moves_at_rest(self):
        for flows in (2, 10, 64):
            model = Dcqcn(flows)
            p = model.marking()
            alpha, target, rate = model.slopes(model.at_rest(p), p, model.share)
            # At the fixed point the derivatives are close to zero.
            self.assertLess(abs(alpha), 1e-6 * model.g / model.alpha_timer)
            self.assertLess(max(abs(target), abs(rate)), 1e-6 * model.share / model.cnp_interval)

    def test_few_marks_are_the_cube_root(self):
        """Compares with the paper's approximation of the fixed point, which holds if p times the byte counter is
        small."""
        model = Dcqcn(2, byte_counter=1e4, step=1e3)
        by_root = (model.increase * model.flows**2 / (model.alpha_timer * model.capacity**2)
                   * (1 / model.counter + model.flows / (model.timer * model.capacity))**2) ** (1 / 3)
        self.assertAlmostEqual(model.marking() / by_root, 1, delta=0.01)

    def test_queues_grow_with_flows(self):
        # Roots of the paper's equation, found by another solver.
        for flows, step, kilobytes in ((2, 40e6, 20.15), (8, 40e6, 93.77), (10, 40e6, 122.62), (64, 40e6, 1156.54),
                                       (16, 10e6, 151.59)):
            model = Dcqcn(flows, step=step)
            self.assertAlmostEqual(model.at_rest_queue() / 1e3, kilobytes, delta=kilobytes * 1e-3)
        # A queue of 62.5 KB corresponds to t_low; the rest is the queue above t_low.
        self.assertEqual(PatchedTimely(2).at_rest_queue(), 78125)


class PublishedMarginTest(unittest.TestCase):
    """Compares phase margins in degrees with points of the paper's figures (github.com/jitupadhye-zz/rdma,
    conext2016/figures)."""

    def test_dcqcn(self):
        for rate, step, kmax, delay, flows, degrees in (
                (40, 40, 200, 0, 2, 26.624), (40, 40, 200, 0, 10, 4.7564), (40, 40, 200, 0, 62, 42.441),
                (40, 40, 200, 1, 2, 26.257), (40, 40, 200, 50, 10, -6.5844), (40, 40, 200, 100, 2, -10.099),
                (40, 40, 200, 100, 10, -17.925), (40, 10, 200, 0, 2, 58.388), (40, 10, 200, 25, 30, 8.513),
                (40, 10, 200, 100, 30, -1.3927), (40, 10, 1000, 0, 10, 63.6), (40, 10, 1000, 100, 2, 44.183),
                # The paper does not state the constants of this row; the constants of the other rows fit.
                (100, 40, 200, 0, 38, -0.37086), (100, 40, 200, 50, 10, -10.139), (100, 40, 200, 100, 98, -18.82)):
            model = Dcqcn(flows, rate * 1e9, step * 1e6, kmax=kmax * 1e3)
            self.assertAlmostEqual(phase_margin(model.published(delay * 1e-6)), degrees, delta=0.1)

    def test_patched_timely(self):
        for delay, flows, degrees in ((0, 2, -1.9535), (0, 18, 42.921), (0, 50, -22.263), (50, 10, 25.903),
                                      (50, 38, -1.1109), (100, 2, -12.138), (100, 50, -31.489)):
            self.assertAlmostEqual(phase_margin(PatchedTimely(flows).published(delay * 1e-6)), degrees, delta=0.1)


def swing(model, delay, duration=0.04, dt=1e-6):
    """Integrates all equations in steps of dt after a disturbance of 2 % of the queue. Returns the fraction of the
    disturbance that remains in the last quarter. Ends early if the disturbance has grown to 25 times its size."""
    p = model.marking()
    state = model.at_rest(p)
    rest = p / model.slope  # the equilibrium queue above kmin, in packets
    queue = rest * 1.02
    late = collections.deque([(p, model.share)] * max(1, round(delay / dt)))
    worst, steps = 0.0, round(duration / dt)
    for i in range(steps):
        change = model.slopes(state, *late.popleft())
        late.append((queue * model.slope, state[2]))
        queue += (model.flows * state[2] - model.capacity) * dt
        state = [x + d * dt for x, d in zip(state, change)]
        off = abs(queue / rest - 1)
        if off > 0.5:
            return off / 0.02
        if i >= steps * 3 // 4:
            worst = max(worst, off)
    return worst / 0.02


class MarginTest(unittest.TestCase):
    def test_a_loop_with_a_margin_comes_to_rest(self):
        """Checks the paper's statement for a delay of 85 us: 10 flows oscillate; 2 flows, 64 flows, and 10 flows
        with a smaller step do not."""
        for flows, step, delay in ((10, 40e6, 85e-6), (10, 10e6, 85e-6), (64, 40e6, 85e-6), (10, 40e6, 4e-6),
                                   (4, 40e6, 100e-6)):
            with self.subTest(flows=flows, step=step, delay=delay):
                model = Dcqcn(flows, step=step)
                left = swing(model, delay)
                if phase_margin(model.loop(delay)) > 0:
                    self.assertLess(left, 0.5)
                else:
                    self.assertGreater(left, 2)
        self.assertGreater(phase_margin(Dcqcn(2).loop(85e-6)), 0)

    def test_an_integrator_with_a_delay(self):
        """The loop 1/s e^(-s d) has a phase margin of 90 degrees minus the phase of the delay at 1 rad/s, also
        beyond full turns."""
        for delay in (0, 0.5, 2.0, 8.0):
            def loop(w, delay=delay):
                return complex(math.cos(w * delay), -math.sin(w * delay)) / (1j * w)
            self.assertAlmostEqual(phase_margin(lambda w, of=loop: of(w / 1e3)), 90 - math.degrees(delay), places=5)
        self.assertIsNone(phase_margin(lambda w: 0.5))


class CommandTest(unittest.TestCase):
    def said(self, *words):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            self.assertEqual(fluid.main(words), 0)
        return text.getvalue().splitlines()

    def test_a_line_for_each_number_of_flows(self):
        lines = self.said("dcqcn", "--flows", "2,64", "--delay", "85us")
        self.assertEqual(lines[2].split(), ["2", "20.2", "0.1", "-4.6"])
        self.assertEqual(lines[3].split(), ["64", "1156.5", "(above", "Kmax)", "17.1", "19.8"])
        self.assertEqual(self.said("timely", "--flows", "2", "--delay", "0us")[2].split()[:2], ["2", "78.1"])
        calm = self.said("dcqcn", "--flows", "10", "--delay", "85us", "--step", "10Mbps")
        self.assertEqual(calm[2].split()[2], "2.6")

    def test_refuses_what_is_no_quantity(self):
        for words in (["dcqcn", "--flows", "0"], ["dcqcn", "--delay", "5KB"], ["dcqcn", "--rate", "fast"],
                      ["timely", "--kmax", "5KB"]):
            with self.assertRaises(InputError):
                fluid.main(words)


if __name__ == "__main__":
    main()
