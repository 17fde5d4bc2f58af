#!/usr/bin/python3
"""Measures the memory per host in a network without traffic.

  host_memory_test.py BUILD/dccvp

The test runs two fat trees of the structure of the tree of 1 048 576 hosts (k: 128, oversubscription: 2) with a
single packet. The memory per host, with its share of links, switches and results, is the difference of the peak
resident sizes of the two runs divided by the difference of the numbers of hosts.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DCCVP = ""
SMALL, LARGE = 18, 26  # ports per switch: 2916 and 8788 hosts, both more than runs with TLM sockets may have
# Greatest number of bytes per host with its share of links, switches and results. The tree of 1 048 576 hosts must
# fit into 12 GB with dcqcn (11 444 B per host) and 16 GB with dcc (15 259 B). There a host has 0.02 switches instead
# of 0.1 here, and a switch without its ports takes some 20 KB with its parameters.
MOST = {"dcqcn": 11_444 + 2_000, "dcc": 15_259 + 2_000}
# Memory is allocated in pages of 2 MiB, so each of the two sizes may be too large by a page.
PAGE = 2 << 20

CONFIG = """\
duration: 1ms
topology: {kind: fat_tree, k: %d, oversubscription: 2}
nic: {congestion_control: {algorithm: %s}}
host: {driver: none}
traffic: [{kind: flow, from: 0, to: 1, bytes: 1KB}]
output: {plots: false, series: {interval: 100ms, flows: none, queues: none, classes: false}}
"""


def hosts(ports):
    return ports ** 3 // 2


def resident(ports, algorithm):
    """Greatest resident set size of a run in bytes."""
    with tempfile.TemporaryDirectory() as name:
        pathlib.Path(name, "idle.yaml").write_text(CONFIG % (ports, algorithm))
        child = subprocess.Popen([DCCVP, "run", "idle.yaml", "--out", "out", "--quiet", "--no-plots",
                                  "--threads", "1"], cwd=name)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError(f"k = {ports}: exit status {child.returncode}")
        return usage.ru_maxrss * 1024


class HostMemory(unittest.TestCase):
    def check(self, algorithm):
        growth = resident(LARGE, algorithm) - resident(SMALL, algorithm)
        between = hosts(LARGE) - hosts(SMALL)
        host = growth / between
        print(f"{algorithm}: {host:.0f} B a host", flush=True)
        self.assertLessEqual(host, MOST[algorithm] + PAGE / between)
        self.assertGreater(host, 1000, "the measurement misses the network")

    def test_dcqcn(self):
        self.check("dcqcn")

    def test_dcc(self):
        self.check("dcc")


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv.pop(1))
    if "sanitize" in DCCVP:
        sys.exit(77)  # skips under a sanitizer, whose shadow memory would be counted too
    unittest.main()
