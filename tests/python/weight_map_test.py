#!/usr/bin/python3
"""Tests the points that the tool weight-map draws.

  weight_map_test.py DCCVP
"""

import os
import random
import unittest
import unittest.mock

from package import DCCVP, main
from dccvp.experiments import weight_map


class Draw(unittest.TestCase):
    def test_a_limit_of_packets_leaves_out_the_points_beyond(self):
        first, second = random.Random(3), random.Random(3)
        free = [weight_map.Point.drawn(first, 64) for _ in range(60)]
        limited = [weight_map.Point.drawn(second, 64, 5e5) for _ in range(10)]
        # With a limit of packets the drawn points are those of the draw without a limit that stay below it, in the
        # same order.
        self.assertEqual(limited, [point for point in free if point.packets() <= 5e5][:10])

    def test_packets_are_those_of_the_whole_run(self):
        point = weight_map.Point(100, 10e-6, 55e3, 440e3, 1.0, "dequeue", [1, 4])
        self.assertAlmostEqual(point.packets(), sum(point.rest()) * 100e9 / 8 / 1082)

    def test_flows_of_another_kind_beside(self):
        point = weight_map.Point(10, 10e-6, 20e3, 80e3, 1.0, "dequeue", [1, 4], 2)
        self.assertIn("{hosts: [3..4], congestion_control: {algorithm: dcqcn}}", point.yaml(1))
        self.assertIn("from: 3, to: 0,", point.yaml(1))
        point.beside_kind = "cubic"
        self.assertIn("{hosts: [3, 4, 6], transport: {kind: tcp, ecn: true}}", point.yaml(1))
        self.assertIn("from: 2, to: 5,", point.yaml(1))
        self.assertIn("from: 3, to: 6,", point.yaml(1))

    def test_cubic_beside_leaves_the_weights_in_force(self):
        os.environ["DCCVP"] = str(DCCVP)
        point = weight_map.Point(10, 10e-6, 20e3, 80e3, 1.0, "dequeue", [1, 4], 2, "cubic")
        with unittest.mock.patch.object(point, "rest", return_value=(0.03, 0.03)):
            found = weight_map.run(point, 1)
        self.assertLess(found["error"], 0.08)
        self.assertGreater(found["use"], 0.9)


if __name__ == "__main__":
    main()
