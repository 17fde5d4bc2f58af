#!/usr/bin/env python3
"""Tests that check_sockets.py reports a class whose TLM socket no test connects to the base protocol checker."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_sockets as check

ROOT = Path(check.__file__).parent.parent
PLANTED = """
class Echo final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Echo> socket{"socket"};
};
"""


class CheckSockets(unittest.TestCase):
    def run_on(self, root, *words):
        done = subprocess.run([sys.executable, check.__file__, root, *words], stdout=subprocess.PIPE, text=True,
                              check=False)
        return done.returncode, done.stdout

    def test_the_tree_and_a_planted_class(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for folder in ("models/tlm", "vp/software", "tests/model", "tests/platform"):
                shutil.copytree(ROOT / folder, root / folder)
            status, said = self.run_on(root, "-v")
            self.assertEqual(status, 0, said)
            for known in ("ApbProgrammer", "ApbTarget", "Bus", "Clint", "ControllerModule", "DmaEngine", "HostStub",
                          "InterruptController", "Plic", "Ram", "RiscvCpu", "SimControl", "TestFinisher", "Uart",
                          "Uart16550"):
                self.assertIn(known, said.split())
            (root / "vp/software/echo.h").write_text(PLANTED, encoding="utf-8")
            status, said = self.run_on(root)
            self.assertEqual((status, said.split(":")[0]), (1, "Echo"))
            (root / "tests/model/echo_test.cpp").write_text('#include "base_protocol.h"\nEcho echo("echo");\n',
                                                            encoding="utf-8")
            self.assertEqual(self.run_on(root), (0, ""))

    def test_a_heir_counts_where_its_base_is_not_made(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "models/tlm").mkdir(parents=True)
            (root / "vp").mkdir()
            (root / "tests").mkdir()
            (root / "models/tlm/base.h").write_text(PLANTED.replace("Echo final", "Echo"), encoding="utf-8")
            (root / "models/tlm/heir.h").write_text("class Loud final : public Echo {\n};\n", encoding="utf-8")
            self.assertEqual(self.run_on(root)[1].split(":")[0], "Loud")


if __name__ == "__main__":
    unittest.main()
