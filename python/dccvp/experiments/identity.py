"""Names of runs, made from everything that decides a run's outcome.

The name of a run is a hash of the program, of the configuration with the files it extends or includes, of the
overrides, and of the content of every file that a value names (traces, firmware, plugins). Comments and the order of
keys do not count.
"""

import functools
import hashlib
import json
import os
import pathlib

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LAYERS = ("extends", "include")
LONGEST_NAME = 4096  # Greatest number of characters of a path.


class Inputs:
    """Hashes of the inputs of many runs of one program; each file is read once."""

    def __init__(self, program):
        self.program = digest_of_file(pathlib.Path(program))
        self.file = functools.lru_cache(maxsize=None)(self._file)
        self.override = functools.lru_cache(maxsize=None)(self._override)

    def name(self, config, overrides, folder, more=""):
        """Returns the name of a run: a hash of a configuration (a path or a tree of values) with overrides
        (key.path=value), whose file names are relative to `folder`, and of the text `more`."""
        base = self.file(pathlib.Path(config).resolve()) if isinstance(config, (str, os.PathLike)) \
            else self.tree(config, folder)
        parts = [self.program, base, [self.override(text, pathlib.Path(folder)) for text in overrides], more]
        return hashlib.sha256(canonical(parts)).hexdigest()[:12]

    def _file(self, path, above=()):
        """Returns the hash of a configuration file and of all files that it names; a file that is not YAML is
        hashed by its bytes."""
        try:
            tree = yaml.load(path.read_bytes(), LOADER)
        except (yaml.YAMLError, ValueError, RecursionError):
            return digest_of_file(path)
        layers = []
        for key in LAYERS if isinstance(tree, dict) else ():
            named = tree.get(key)
            for name in named if isinstance(named, list) else [named] if named else []:
                layer = (path.parent / str(name)).resolve()
                if layer.is_file() and layer not in above:
                    layers.append(self._file(layer, (*above, path)))
        return hashlib.sha256(canonical([layers, self.tree(tree, path.parent)])).hexdigest()

    def _override(self, text, folder):
        try:
            value = yaml.load(text.partition("=")[2], LOADER)
        except (yaml.YAMLError, ValueError, RecursionError):
            value = None
        return [text, self.tree(value, folder)]

    def tree(self, tree, folder):
        """Returns values, and the hashes of the files they name, in a form that canonical() accepts."""
        if isinstance(tree, dict):
            return [[str(key), self.tree(value, folder)] for key, value in sorted(tree.items(), key=lambda i: str(i[0]))
                    if key not in LAYERS]
        if isinstance(tree, list):
            return [self.tree(value, folder) for value in tree]
        content = self.named_file(tree, pathlib.Path(folder)) if isinstance(tree, str) else None
        return str(tree) if content is None else [str(tree), content]

    @functools.lru_cache(maxsize=None)  # noqa: B019: an Inputs lives as long as its command
    def named_file(self, text, folder):
        """Returns the hash of the file `text`, relative to `folder`; None if there is no such file."""
        if not text or len(text) > LONGEST_NAME or "\0" in text:
            return None
        try:
            path = folder / text
            return digest_of_file(path) if path.is_file() else None
        except (OSError, ValueError):
            return None


def canonical(value):
    return json.dumps(value, ensure_ascii=True).encode()


def digest_of_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()
