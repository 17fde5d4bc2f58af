#!/usr/bin/env python3
"""Tests that check_systemc_names.py reports names that not every SystemC version from 2.3.3 to 3.0 has."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_systemc_names as check

CHECK = Path(check.__file__)
MODULE = CHECK.parent.parent / "models/tlm/controller_module.h"


class CheckSystemcNames(unittest.TestCase):
    def found(self, code, head="#include <systemc>\n"):
        return [(line, name) for line, name, _ in check.uses(head + code)]

    def test_each_name_is_found(self):
        for code, name in (
                ("sc_core::sc_set_default_time_unit(1, SC_NS);", "sc_set_default_time_unit"),
                ("sc_time t(5, true);", "sc_time t(5, true)"), ("f(sc_core::sc_time(x, false));", "sc_time(x, false)"),
                ("register_simulation_phase_callback(SC_END_OF_UPDATE);", "register_simulation_phase_callback"),
                ("void simulation_phase_callback() override;", "simulation_phase_callback"),
                ("context->add_trace_file(this);", "add_trace_file"), ("socket.get_port_base();", "get_port_base"),
                ("sc_start(100);", "sc_start(100)"), ("done.notify_delayed();", "notify_delayed"),
                ("sc_get_curr_simcontext();", "sc_get_curr_simcontext"), ("sc_dt::sc_bit b;", "sc_bit"),
                ("wait_until(a == b);", "wait_until("), ("sensitive_pos << clock;", "sensitive_pos")):
            self.assertEqual(self.found(code), [(2, name)])

    def test_names_of_all_versions_are_not(self):
        for code in ("SC_HAS_PROCESS(Nic);", "sc_core::sc_time t(5, sc_core::SC_NS);", "sc_core::sc_start(end);",
                     "socket.get_base_port();", "sc_core::sc_time_stamp();",
                     "// sc_cycle\n/* wait_until(a)\n */ int a;", "my_sc_bit_2();"):
            self.assertEqual(self.found(code), [])

    def test_files_without_systemc_may_have_such_names(self):
        self.assertEqual(self.found("void wait_until(int);", head=""), [])

    def test_a_use_planted_in_a_shipped_header_fails_the_check(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q", folder], check=True)
            copy = Path(folder, "models/tlm/controller_module.h")
            copy.parent.mkdir(parents=True)

            def run(text):
                copy.write_text(text, encoding="utf-8")
                done = subprocess.run([sys.executable, CHECK, folder], stdout=subprocess.PIPE, text=True, check=False)
                return done.returncode, done.stdout

            text = MODULE.read_text(encoding="utf-8")
            self.assertEqual(run(text), (0, ""))
            last = text.count("\n") + 1
            status, said = run(text + "inline double now() { return sc_core::sc_simulation_time(); }\n")
            self.assertEqual(status, 1)
            self.assertIn(f"models/tlm/controller_module.h:{last}: sc_simulation_time:", said)
            self.assertEqual(run("int nothing;\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
