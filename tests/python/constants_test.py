#!/usr/bin/python3
"""Tests that constants which the Python code repeats equal those of the C++ headers.

  constants_test.py [DCCVP]
"""

import re
import unittest

import yaml

from package import ROOT, main
from dccvp import cost
from dccvp.experiments import study_measure

CONSTANT = re.compile(r"constexpr [\w:]+ (k\w+) = (\d+);")


def constants(header):
    """Returns {name: value} of the numeric constants in a header of models/core."""
    return {name: int(value)
            for name, value in CONSTANT.findall((ROOT / "models/core" / header).read_text())}


class RepeatedNumbers(unittest.TestCase):
    def test_the_cycle_contract(self):
        timing = constants("controller/controller_timing.h")
        self.assertEqual((cost.FIRST_OFFER, cost.PACE, cost.APART, cost.STEP),
                         (timing["kFirstOfTick"], timing["kTimerEvents"], timing["kSameFlow"],
                          timing["kTickStep"]))
        self.assertEqual((cost.CNPS, cost.COMMANDS), (timing["kCnpDepth"], timing["kCommandDepth"]))

    def test_flow_numbers(self):
        registers = yaml.safe_load((ROOT / "rtl/regs/nic.yaml").read_text())["registers"]
        caps = next(register for register in registers if register["name"] == "CAPS")
        bits = {field["name"]: field["reset"] for field in caps["fields"]}
        self.assertEqual(cost.FLOW_BITS, bits["QPS_LOG2"])

    def test_bytes_beside_a_payload(self):
        wire = constants("wire/wire_size.h")
        self.assertEqual(study_measure.HEADERS,
                         sum(wire[name] for name in ("kEthernet", "kIpv4", "kUdp", "kBth", "kIcrc", "kFcs")))


if __name__ == "__main__":
    main()
