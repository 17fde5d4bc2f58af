#!/usr/bin/python3
"""Tests firmware that creates queue pairs itself: the SDK's two hosts, and the results of one-sided operations."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PLATFORM = ROOT / "sdk/examples/rdma/platform.yaml"

# Expected output of host 0: each operation with the status of its completion (sw/driver/nic_descriptors.h).
GOLDEN = [("WRITE", "0"), ("READ", "0"), ("SEND", "0"), ("fetch and add", "0"), ("compare and swap", "0"),
          ("READ", "0"), ("no such operation", "1"), ("READ into a device", "1"),
          ("WRITE from a device", "1, then 4"), ("WRITE to an address that is not open", "2, then 4"),
          *[("an open address that is a device", "2, then 4")] * 5,
          ("an atomic operation on an odd address", "6, then 4"), ("SEND without a buffer", "5, then 4"),
          ("SEND that is longer than its buffer", "6, then 4"), ("a send ring that is a device", "1"),
          ("a queue pair that has no other end", "3"),
          ("WRITE, after all that", "0")]


def run(*overrides):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        settings = [word for override in (f"host.elf={FIRMWARE / 'rdma.elf'}", *overrides) for word in ("-c", override)]
        done = subprocess.run([DCCVP, "run", PLATFORM, *settings, "--quiet", "--no-plots", "--out", out],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
        text = done.stdout.decode() + done.stderr.decode()
        metrics = out / "metrics.json"
        return done.returncode, text, json.loads(metrics.read_text()) if metrics.exists() else {}


class Rdma(unittest.TestCase):
    def check_lines(self, code, text):
        self.assertEqual(code, 0, text)
        lines = [line[len("host 0: "):] for line in text.splitlines() if line.startswith("host 0: ")]
        printed = [tuple(line.rsplit("status", 1)) for line in lines if "status" in line and "every" not in line]
        self.assertEqual([(name.strip(), status.strip()) for name, status in printed], GOLDEN)
        self.assertEqual(lines[-1], "all as it must be")
        self.assertIn("host 1: receives: ok, too long, flushed", text)

    def test_machine_virt_gives_interrupts_through_its_plic(self):
        code, text, _ = run(f"host.elf={FIRMWARE / 'test_rdma_virt.elf'}", "host.machine=virt")
        self.check_lines(code, text)

    def test_every_status_is_provoked_and_survived(self):
        code, text, metrics = run()
        self.check_lines(code, text)
        notes = "\n".join(metrics["warnings"])
        self.assertIn("host 0: queue pair 4 names queue pair 9 of host 1", notes)
        self.assertIn("RETRY_EXCEEDED", notes)
        self.assertIn("host 0: 3 DMA accesses of the NIC went to addresses that are not memory", notes)
        self.assertIn("the destination of a READ or atomic operation (work request ", notes)
        self.assertIn("host 1: 5 DMA accesses", notes)
        self.assertIn("0x10000000 (uart", notes)
        self.assertEqual(metrics["aggregate"]["dma_errors"], 8)

    def test_the_same_bytes_again(self):
        self.assertEqual(run()[1], run()[1])

    def test_one_host_alone_is_told_that_nobody_answers(self):
        code, text, metrics = run("hosts.1.driver=native")
        self.assertNotEqual(code, 0)
        self.assertIn("host 1 has no queue pair 2", "\n".join(metrics["warnings"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
