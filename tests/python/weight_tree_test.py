#!/usr/bin/python3
"""Tests the tool weight-tree, which computes weighted allocations over several bottlenecks: the defining conditions
of the allocations, and one run.

  weight_tree_test.py DCCVP
"""

import contextlib
import io
import os
import random
import unittest

from package import DCCVP, main
from dccvp.experiments import weight_tree


def drawn(rng):
    """Returns (paths, weights, rates) of a random network in which every link carries a flow."""
    rates = {link: rng.uniform(10, 100) for link in range(rng.randint(1, 6))}
    paths = [rng.sample(sorted(rates), rng.randint(1, len(rates))) for _ in range(rng.randint(1, 12))]
    return paths, [rng.randint(1, 8) for _ in paths], rates


def loads(paths, found, rates):
    return {link: sum(rate for rate, path in zip(found, paths) if link in path) for link in rates}


class MaxMin(unittest.TestCase):
    def test_two_links(self):
        # The flow over both links gets two thirds of the slow link. The other flow of the fast link gets the rest of
        # that link.
        found = weight_tree.max_min([["a", "b"], ["a"], ["b"]], [2, 1, 1], {"a": 90, "b": 30})
        self.assertEqual([round(rate, 9) for rate in found], [20, 70, 10])

    def test_each_flow_has_a_full_link_on_which_none_has_more_for_its_weight(self):
        rng = random.Random(7)
        for _ in range(300):
            paths, weights, rates = drawn(rng)
            found = weight_tree.max_min(paths, weights, rates)
            load = loads(paths, found, rates)
            for link, rate in rates.items():
                self.assertLess(load[link], rate * (1 + 1e-9))
            for path, weight, rate in zip(paths, weights, found):
                def is_bottleneck(link, level=rate / weight):
                    others = (r / w for r, w, p in zip(found, weights, paths) if link in p)
                    return load[link] > rates[link] * (1 - 1e-9) and max(others) <= level * (1 + 1e-9)
                self.assertTrue(any(is_bottleneck(link) for link in path))


class ProportionallyFair(unittest.TestCase):
    def test_two_links(self):
        # With prices of 1/50 on both links and weights 1 the flow over both links gets a third of each link.
        found = weight_tree.proportionally_fair([["a", "b"], ["a"], ["b"]], [1, 1, 1], {"a": 90, "b": 90})
        self.assertEqual([round(rate, 3) for rate in found], [30, 60, 60])

    def test_no_other_allocation_has_a_greater_sum_of_relative_gains(self):
        rng = random.Random(8)
        for _ in range(20):
            paths, weights, rates = drawn(rng)
            found = weight_tree.proportionally_fair(paths, weights, rates, rounds=3000)
            for link, load in loads(paths, found, rates).items():
                self.assertLess(load, rates[link] * 1.01)
            other = weight_tree.max_min(paths, weights, rates)
            gain = sum(w * (b / a - 1) for w, a, b in zip(weights, found, other))
            self.assertLess(gain, 0.01 * sum(weights))


class Networks(unittest.TestCase):
    def test_paths_of_the_parking_lot_have_the_least_number_of_links(self):
        for links, least in ((3, 1), (4, 2), (4, 4)):
            network = weight_tree.ParkingLot(random.Random(9), 100, links, least)
            self.assertEqual({len(path) for path in network.paths}, set(range(least, links + 1)))
            self.assertEqual(len(network.rates), links)
            self.assertGreaterEqual(sum(network.hosts), 200)  # one flow per host
            self.assertEqual(len({end for ends in network.ends for end in ends}), 200)

    def test_leaves_grow_with_the_flows(self):
        for flows, hosts in ((4, 12), (24, 12), (160, 80)):
            network = weight_tree.LeafSpine(random.Random(9), flows)
            self.assertEqual((len(network.ends), network.hosts), (flows, hosts))

    def test_more_links_in_a_path_than_there_are_are_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            weight_tree.main(["parking_lot", "--least", "4"])
        self.assertIn("--least 4 must be from 1 to --links 3", said.getvalue())


class Runs(unittest.TestCase):
    def test_both_networks(self):
        os.environ["DCCVP"] = str(DCCVP)
        for network in weight_tree.NETWORKS:
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                status = weight_tree.main([network, "--points", "1", "--flows", "4", "--begin", "2", "--window", "1"])
            self.assertEqual(status, 0, said.getvalue())
            # the three lines are the table's head, its rule and one point
            self.assertEqual(len(said.getvalue().splitlines()), 3)

    def test_telemetry_s_step_follows_the_weights(self):
        os.environ["DCCVP"] = str(DCCVP)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            weight_tree.main(["parking_lot", "--points", "1", "--begin", "10", "-c",
                              "nic.congestion_control={algorithm: dcc, policy: proportional_int}"])
        error = float(said.getvalue().splitlines()[-1].split()[4])
        self.assertLess(error, 20)  # 41 % with 100 Mb/s for a unit of weight


if __name__ == "__main__":
    main()
