"""The environment variables that the client reads."""

from __future__ import annotations

from collections.abc import Mapping


class Variables:
    """Not a mapping: debuggers and error reports show the local variables of each frame."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def get(self, name: str) -> str:
        """Empty if it is not set."""
        return self._values.get(name, "")

    def with_one(self, name: str, value: str) -> Mapping[str, str]:
        return {**self._values, name: value}
