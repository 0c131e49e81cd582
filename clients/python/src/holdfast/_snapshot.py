"""Secrets as of one revision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeVar

S = TypeVar("S", bound="Snapshot")


class Snapshot(Mapping[str, str]):
    """An environment at one revision: a read-only mapping of keys to values, whose ``repr`` shows no value.

    It can't be pickled, because values would be in the pickle. To pass them on, make a ``dict`` of it.
    """

    __slots__ = ("_expanding", "_revision", "_stale", "_values")

    def __init__(
        self,
        revision: int,
        values: Mapping[str, str],
        *,
        stale: bool = False,
        expanding: AbstractSet[str] = frozenset(),
    ) -> None:
        self._revision = revision
        self._values = MappingProxyType(dict(values))
        self._stale = stale
        self._expanding = frozenset(expanding)

    @property
    def revision(self) -> int:
        return self._revision

    @property
    def stale(self) -> bool:
        """True if the service was unreachable and ``stale_if_error`` allowed an earlier answer."""
        return self._stale

    def expands(self, key: str) -> bool:
        """Whether the key was set with ``expand``, and so may name other keys."""
        return key in self._expanding

    def _as_stale(self) -> Snapshot:
        return Snapshot(self._revision, self._values, stale=True, expanding=self._expanding)

    def __getitem__(self, key: str) -> str:
        if key in self._values:
            return self._values[key]
        raise KeyError(f"{key} is not set at revision {self._revision}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} revision={self._revision} keys={list(self._values)}>"

    def __sentry_repr__(self) -> str:
        """Error reports of Sentry list a mapping's items instead of its ``repr``, unless it has this."""
        return repr(self)

    def __copy__(self: S) -> S:
        return self

    def __deepcopy__(self: S, memo: Any) -> S:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("A snapshot can't be pickled, because its values would be in the pickle.")


class Layer(NamedTuple):
    """An environment as ``organization/project/environment``, at the revision that was pulled."""

    name: str
    revision: int


class LayeredSnapshot(Snapshot):
    """Several environments as one, each at one revision. Where several have a key, the last one wins."""

    __slots__ = ("_layers", "_sources")

    def __init__(
        self,
        layers: Sequence[Layer],
        values: Mapping[str, str],
        sources: Mapping[str, str],
        *,
        stale: bool = False,
        expanding: AbstractSet[str] = frozenset(),
    ) -> None:
        """``layers`` has the lowest one first, and is not empty. ``sources`` has the name of each key's layer."""
        super().__init__(layers[-1].revision, values, stale=stale, expanding=expanding)
        self._layers = tuple(layers)
        self._sources = MappingProxyType(dict(sources))

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers, the lowest one first. ``revision`` is that of the last one."""
        return self._layers

    def source_of(self, key: str) -> str | None:
        """The layer that the key's value comes from; None if it is not set."""
        return self._sources.get(key)

    def _as_stale(self) -> LayeredSnapshot:
        return LayeredSnapshot(self._layers, self._values, self._sources, stale=True, expanding=self._expanding)
