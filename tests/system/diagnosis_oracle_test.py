#!/usr/bin/python3
"""Compares the diagnoses with an oracle, which computes them by other arithmetic from the raw results of random
configurations.

diagnosis_oracle_test.py BUILD/dccvp"""

import contextlib
import io
import os
import pathlib
import sys
import unittest
from unittest import mock

import diagnosis_oracle as oracle


def campaign(*arguments):
    """Runs the oracle. Returns (exit status, printed text)."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = oracle.main([str(argument) for argument in arguments])
    return status, said.getvalue()


class Oracle(unittest.TestCase):
    def test_it_agrees_with_runs_of_drawn_configurations(self):
        status, said = campaign("--points", 20, "--seed", 2)
        self.assertEqual(status, 0, said)

    def test_a_diagnosis_that_is_silent_or_told_wrongly_is_found(self):
        for decide in (lambda left: True, lambda left: False):
            told = {"idle_link"} if not decide(None) else set()
            with mock.patch.object(oracle, "judged", lambda config: (told, {"idle_link": decide(None)})):
                status, said = campaign("--points", 1)
            self.assertEqual(status, 1)
            self.assertIn("idle_link is", said)

    def test_near_a_limit_nothing_is_decided(self):
        self.assertIsNone(oracle.above(0.8, 0.8))
        self.assertTrue(oracle.above(0.9, 0.8))
        self.assertFalse(oracle.above(0.7, 0.8))


if __name__ == "__main__":
    os.environ["DCCVP"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
