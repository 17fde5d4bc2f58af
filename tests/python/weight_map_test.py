#!/usr/bin/python3
"""Points that the tool weight-map draws.

  weight_map_test.py DCCVP
"""

import random
import unittest

from package import main
from dccvp.experiments import weight_map


class Draw(unittest.TestCase):
    def test_a_limit_of_packets_leaves_out_the_points_beyond(self):
        first, second = random.Random(3), random.Random(3)
        free = [weight_map.Point.drawn(first, 64) for _ in range(60)]
        limited = [weight_map.Point.drawn(second, 64, 5e5) for _ in range(10)]
        # Points that stay are those of the draw without a limit, in its order.
        self.assertEqual(limited, [point for point in free if point.packets() <= 5e5][:10])

    def test_packets_are_those_of_the_whole_run(self):
        point = weight_map.Point(100, 10e-6, 55e3, 440e3, 1.0, "dequeue", [1, 4])
        self.assertAlmostEqual(point.packets(), sum(point.rest()) * 100e9 / 8 / 1082)


if __name__ == "__main__":
    main()
