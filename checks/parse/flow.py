"""YAML with colons inside plain values of flow collections: ``{ image: vllm/vllm-openai:v1 }``.

YAML 1.2 and PyYAML read that colon as part of the value; the libyaml in ruamel.yaml.clib (0.2.1's
ancestor) does not: https://github.com/yaml/libyaml/pull/104. Where it stops at one, such colons
are read as another character of the same width and put back afterwards, so that all places stay.
"""

import re
from functools import partial
from typing import Any

from checks.parse.yaml import Map, Mark, Seq, YamlError, parse

# A colon that can be no indicator: not after a quoted key, and before neither white space nor
# the end of a flow value.
_INNER = re.compile(r"""(?<=[^\s"'{}\[\],]):(?=[^\s{}\[\],])""")
_PRIVATE = [chr(code) for code in range(0xE000, 0xE010)]


def parse_flow(data: bytes) -> Any:
    """Parse one YAML document as `checks.parse.yaml.parse` does, colons in flow values allowed.

    Raises:
        YamlError: as `checks.parse.yaml.parse`, where it stops without this leniency.

    """
    try:
        return parse(data)
    except YamlError as error:
        if error.reason.values.get("problem") != "found unexpected ':'":
            raise
        content = data.decode("utf-8")
        stand_in = next((char for char in _PRIVATE if char not in content), None)
        if stand_in is None:
            raise
        try:
            value = parse(_INNER.sub(stand_in, content).encode("utf-8"))
        except YamlError:
            raise error from None
    return _Restoring(stand_in).node(value)


class _Restoring:
    """Puts the colons back into keys, values and raw texts; shared nodes stay shared."""

    def __init__(self, stand_in: str) -> None:
        self.text = partial(re.sub, stand_in, ":")
        self.done: dict[int, Any] = {}

    def node(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, Map | Seq):
            return value
        if id(value) not in self.done:
            self.done[id(value)] = self.map(value) if isinstance(value, Map) else self.seq(value)
        return self.done[id(value)]

    def map(self, value: Map) -> Map:
        result = Map()
        for key, item in value.items():
            key_mark, mark = self.mark(value.key_marks[key]), self.mark(value.marks[key])
            result.put(self.node(key), key_mark, self.node(item), mark)
        result.duplicates += [(self.node(key), self.mark(mark)) for key, mark in value.duplicates]
        return result

    def seq(self, value: Seq) -> Seq:
        result = Seq()
        result.extend(self.node(item) for item in value)
        result.marks += [self.mark(mark) for mark in value.marks]
        return result

    def mark(self, mark: Mark) -> Mark:
        return mark._replace(raw=self.text(mark.raw))
