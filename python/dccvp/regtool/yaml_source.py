"""Reads a YAML file as plain data with the line number of every value."""

import yaml

from dccvp.common import yaml_nodes
from dccvp.common.ending import InputError as SourceError


class YamlSource:
    """A YAML file. data: dicts, lists and scalars. where(path): "file:line" of the value at a path of keys.

    Raises SourceError, whose text begins with the place."""

    def __init__(self, path):
        self.path = str(path)
        self._lines = {}
        self._scalars = yaml.constructor.SafeConstructor()
        self.data = self._plain(yaml_nodes.load(path, "a register map"), ())

    def where(self, path):
        """Returns the place of the value at `path`, or of the nearest enclosing value that exists."""
        path = tuple(path)
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self.path}:{self._lines[path]}"

    def _plain(self, node, path):
        self._lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            result = {}
            for key, value in yaml_nodes.entries(node, "a description"):
                if key.tag != "tag:yaml.org,2002:str":
                    yaml_nodes.fail(key, f"key '{key.value}' is not a name")
                result[key.value] = self._plain(value, path + (key.value,))
                self._lines[path + (key.value,)] = key.start_mark.line + 1
            return result
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, path + (i,)) for i, item in enumerate(node.value)]
        try:
            return self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            raise SourceError(f"{self.where(path)}: '{node.value}' is not a value: {error}") from error
