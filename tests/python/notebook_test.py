#!/usr/bin/python3
"""Runs the shipped notebooks from top to bottom, and checks that they produce figures and pictures.

  notebook_test.py DCCVP
"""

import json
import os
import re
import subprocess

from package import DCCVP, ROOT, FolderTest, main

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


class NotebookTest(FolderTest):
    def executed(self, notebook):
        # Ignores the user's own Jupyter settings, and uses Debian's python3.
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "DCCVP": str(DCCVP),
                       "HOME": str(self.folder), "PATH": "/usr/bin:/bin"}
        environment.pop("MPLBACKEND", None)
        done = subprocess.run(["/usr/bin/python3", "-B", "-m", "nbconvert", "--to", "notebook", "--execute",
                               "--output-dir", self.folder, notebook], env=environment, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        return json.loads((self.folder / notebook.name).read_text(encoding="utf-8"))

    def test_they_run(self):
        self.assertTrue(NOTEBOOKS)
        for notebook in NOTEBOOKS:
            with self.subTest(notebook=notebook.name):
                outputs = [output for cell in self.executed(notebook)["cells"]
                           for output in cell.get("outputs", ())]
                pictures = [o for o in outputs if "image/png" in o.get("data", {})]
                self.assertGreaterEqual(len(pictures), 2)
                text = "".join("".join(o.get("text", ())) for o in outputs)
                self.assertIn("-c switch.ecn.kmin=5Kb: ", text)
                answer = re.search(r"kmin = (\d+) KB: (\S+) Gb/s with a mean queue of (\S+) KB", text)
                self.assertIsNotNone(answer, text)
                # The greatest goodput is 25 Gb/s minus the headers of full packets. Below that no link is full.
                self.assertTrue(22.5 < float(answer[2]) < 25 and 0 < float(answer[3]) < 400, answer[0])

    def test_they_are_shipped_without_outputs(self):
        for notebook in NOTEBOOKS:
            for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
                self.assertEqual((cell.get("outputs", []), cell.get("execution_count")), ([], None))


if __name__ == "__main__":
    main()
