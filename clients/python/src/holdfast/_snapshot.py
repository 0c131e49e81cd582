"""Secrets as of one revision."""

from __future__ import annotations

from types import MappingProxyType
from typing import AbstractSet, Iterator, Mapping, NamedTuple, Sequence


class Snapshot(Mapping[str, str]):
    """An environment at one revision: a read-only mapping of keys to values, whose ``repr`` shows no value."""

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
        self._values = MappingProxyType(values)
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

    def as_stale(self) -> Snapshot:
        """The same values, marked as stale."""
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


class Layer(NamedTuple):
    """An environment as ``organization/project/environment``, at the revision that was pulled."""

    name: str
    revision: int


class LayeredSnapshot(Snapshot):
    """Several environments as one, each at one revision. Where several have a key, the last one wins."""

    __slots__ = ("_pulled",)

    def __init__(self, pulled: Sequence[tuple[str, Snapshot]]) -> None:
        """``pulled`` has the lowest layer first, and is not empty."""
        values: dict[str, str] = {}
        expanding: set[str] = set()
        for _, snapshot in pulled:
            for key, value in snapshot.items():
                values[key] = value
                (expanding.add if snapshot.expands(key) else expanding.discard)(key)
        super().__init__(
            pulled[-1][1].revision,
            dict(sorted(values.items())),
            stale=any(snapshot.stale for _, snapshot in pulled),
            expanding=expanding,
        )
        self._pulled = tuple(pulled)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers, the lowest one first. ``revision`` is that of the last one."""
        return tuple(Layer(name, snapshot.revision) for name, snapshot in self._pulled)

    def source_of(self, key: str) -> str | None:
        """The layer that the key's value comes from; None if it is not set."""
        return next((name for name, snapshot in reversed(self._pulled) if key in snapshot), None)
