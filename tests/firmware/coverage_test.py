#!/usr/bin/python3
"""Measures which lines of the shipped firmware, driver and application the shipped programs execute on the simulated
CPU.

  coverage_test.py DCCVP FIRMWARE_FOLDER SOURCE_FOLDER [--lines]

With --lines also the numbers of the lines that never ran.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
LEAST = 90  # minimum coverage in percent of all lines
PAIR = """\
duration: 2ms
topology: {{kind: star, hosts: 2, link: {{rate: 100Gbps}}}}
nic: {{payload: virtual, congestion_control: {{algorithm: dcc}}}}
host: {{driver: native}}
hosts: {{"1": {{driver: firmware, elf: "{elf}", keeps_accounts: false}}}}
traffic:
  - {{kind: flow, from: 1, to: 0, dscp: 46, bytes: 8KiB, message: 4KiB, start: 100us}}
"""
ALONE = {"irq_storm": (), "objects": (), "bringup": (), "kernel": ("--uart-in",),
         "virt_c": ("--machine", "virt", "--uart-in"), "virt_cpp": ("--machine", "virt"),
         "test_echo": ("--uart-in",), "test_stack_overflow": (), "test_stray_write": (), "test_oracle": ()}
PROGRAMS_ON_A_HOST = ("bringup", "fault", "kernel", "traffic", "test_misuse")
TRAFFIC = f"host={{driver: firmware, elf: {FIRMWARE / 'traffic.elf'}, clock: 2GHz, ram: 8MiB}}"
BOTH = [f"hosts={{0: {{driver: firmware, elf: {FIRMWARE / 'bringup.elf'}, keeps_accounts: false}}, "
        f"1: {{driver: firmware, elf: {FIRMWARE / 'bringup.elf'}, keeps_accounts: false}}}}", "nic.payload=real",
        "traffic.0.bytes=4KiB"]
# Name of a run -> its configuration file and overrides.
NETWORKS = {
    "transports": ("configs/transports.yaml", TRAFFIC, "duration=8ms", "measure={from: 0us}"),
    "qos": ("configs/tenants.yaml", TRAFFIC, "duration=3ms", "measure={from: 0us}", "qos.report_interval=100us",
            "qos.update_interval=200us", "traffic.2.start=1ms", "traffic.2.stop=2ms"),
    # This run has more congested flows than slots, and more messages than a ring holds.
    "congestion": ("configs/demo.yaml", TRAFFIC, "duration=500us", "measure={from: 0us}", "nic.controller.slots=16",
                   "traffic=[{kind: incast, receiver: 0, flows: 30, bytes: 64KiB, message: 1KiB}]"),
    "rdma": ("sdk/examples/rdma/platform.yaml", f"host.elf={FIRMWARE / 'rdma.elf'}"),
}


class Runs:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def call(self, *command):
        return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE, check=False).stdout.decode()

    def alone(self, name):
        options = list(ALONE[name])
        if "--uart-in" in options:
            heard = self.folder / f"{name}.heard"
            heard.write_text("hello, all\n", encoding="utf-8")
            options.append(str(heard))
        return self.call(DCCVP, "run-elf", "--quiet", *options, "--coverage", self.folder / f"{name}.info",
                         FIRMWARE / f"{name}.elf")

    def network(self, name, config, *changes):
        words = [word for change in (*changes, "output.trace={coverage: true}") for word in ("-c", change)]
        return self.call(DCCVP, "run", config, *words, "--quiet", "--no-plots", "--force", "--out",
                         self.folder / f"net.{name}")

    def on_a_host(self, name):
        config = self.folder / f"{name}.yaml"
        config.write_text(PAIR.format(elf=FIRMWARE / f"{name}.elf"), encoding="utf-8")
        return self.network(f"{name}-on-a-host", config)

    def both_hosts(self):
        config = self.folder / "both.yaml"
        config.write_text(PAIR.format(elf=FIRMWARE / "bringup.elf"), encoding="utf-8")
        return self.network("both-hosts", config, *BOTH)

    def all(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(self.alone, name) for name in ALONE]
            jobs += [pool.submit(self.on_a_host, name) for name in PROGRAMS_ON_A_HOST]
            jobs += [pool.submit(self.both_hosts)]
            jobs += [pool.submit(self.network, name, ROOT / file, *changes)
                     for name, (file, *changes) in NETWORKS.items()]
            return "".join(job.result() for job in jobs)

    def lines(self):
        """Returns {file: {line: times executed}} of the shipped sources, summed over all runs."""
        total = {}
        for info in sorted(self.folder.rglob("*.info")):
            lines = {}
            for row in info.read_text(encoding="utf-8").splitlines():
                if row.startswith("SF:"):
                    path = pathlib.Path(os.path.relpath(row[3:], ROOT))
                    shipped = path.parts[0] in ("firmware", "sw", "sdk")
                    lines = total.setdefault(path.as_posix(), {}) if shipped else {}
                elif row.startswith("DA:"):
                    number, count = (int(part) for part in row[3:].split(","))
                    lines[number] = lines.get(number, 0) + count
        return total


class Coverage(unittest.TestCase):
    def test_nine_of_ten_lines_run(self):
        with tempfile.TemporaryDirectory(prefix="dccvp-coverage-") as folder:
            runs = Runs(folder)
            said = runs.all()
            total = runs.lines()
        run = sum(count > 0 for lines in total.values() for count in lines.values())
        of = sum(len(lines) for lines in total.values())
        for file, lines in sorted(total.items()):
            print(f"{file}: {sum(count > 0 for count in lines.values())} of {len(lines)} lines")
            if "--lines" in sys.argv:
                print("   ", *(number for number, count in sorted(lines.items()) if count == 0))
        print(f"{run} of {of} lines, {100 * run / of:.1f} %")
        for name in ("firmware/runtime/machine.c", "firmware/kernel/kernel.c", "sw/driver/nic_driver.c",
                     "sw/driver/dcc_driver.c", "sw/app/traffic_flows.c", "sw/app/qos_manager.c",
                     "sdk/examples/rdma/main.c"):
            self.assertIn(name, total, said)
        self.assertGreaterEqual(100 * run, LEAST * of, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
