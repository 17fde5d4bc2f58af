"""Makes the Python package of host tools importable, and takes the program's path from the command line."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
DCCVP = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None


class FolderTest(unittest.TestCase):
    """Base class of tests that need an empty folder, `folder`."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="dccvp-python-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
