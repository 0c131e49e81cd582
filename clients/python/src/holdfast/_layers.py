"""Pulls of several environments as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from ._environment import Environment
from ._errors import HoldfastError
from ._latest import Latest, Pulled, query_of
from ._operation import Answer, not_the_service
from ._pull import expanding_among, path_of, secrets_in, values_of
from ._snapshot import Layer, LayeredSnapshot, Snapshot
from ._transport import Transport

#: The most environments below one that the service takes in a request.
_MOST_BELOW = 5


class LayersPuller:
    """Pulls the layers with one request if the service can: different environments of one organization, at most six.

    Otherwise each one has a request of its own.
    """

    def __init__(
        self,
        transport: Transport,
        environments: Sequence[Environment],
        *,
        max_age: float,
        stale_if_error: float,
    ) -> None:
        """The environments have the lowest one first."""
        self._environments = environments
        self._max_age = max_age
        self._stale_if_error = stale_if_error
        self._together = _latest_of(transport, environments) if _is_one_request(transport, environments) else None

    def forget(self) -> None:
        together = self._together
        if together is not None:
            together.forget()

    def pull(
        self, *, keys: Sequence[str] | None, raw: bool, max_age: float | None, stale_if_error: float | None
    ) -> LayeredSnapshot:
        query = query_of(keys=keys, raw=raw)
        # Another thread may find out meanwhile that it is not possible.
        together = self._together
        if together is not None:
            try:
                return together.pull(
                    query,
                    max_age=self._max_age if max_age is None else max_age,
                    stale_if_error=self._stale_if_error if stale_if_error is None else stale_if_error,
                )
            except _UntaggedError:
                pass
            except HoldfastError as error:
                if not _is_of_older_service(error) and error.code != "payload_too_large":
                    raise
            self._together = None
        return self._pull_separately(keys, raw, max_age, stale_if_error)

    def _pull_separately(
        self, keys: Sequence[str] | None, raw: bool, max_age: float | None, stale_if_error: float | None
    ) -> LayeredSnapshot:
        """All side by side. If one fails, so does the whole: never a part of them."""
        threads = ThreadPoolExecutor(len(self._environments), "holdfast")
        try:
            pulls = [
                threads.submit(one.pull, raw=raw, max_age=max_age, stale_if_error=stale_if_error)
                for one in self._environments
            ]
            done, _ = wait(pulls, return_when=FIRST_EXCEPTION)
            for pull in done:
                pull.result()
            return _merged([(one.name, pull.result()) for one, pull in zip(self._environments, pulls)], keys)
        finally:
            # A failure is not kept waiting by the others.
            threads.shutdown(wait=False)


class _UntaggedError(Exception):
    """Something between the client and the service removes the tag, so the revisions are unknown."""


def _is_of_older_service(error: HoldfastError) -> bool:
    """Installations upgrade later than clients."""
    problems = error.details if error.code == "invalid_request" and isinstance(error.details, list) else []
    return any(
        isinstance(one, dict) and one.get("path") == "layers" and one.get("message") == "is not a known field"
        for one in problems
    )


def _is_one_request(transport: Transport, environments: Sequence[Environment]) -> bool:
    names = {one.name for one in environments}
    return (
        1 < len(environments) <= _MOST_BELOW + 1
        and len(names) == len(environments)
        and len({one.organization for one in environments}) == 1
        # Those of another client have its credential.
        and all(one._transport is transport for one in environments)
    )


def _latest_of(transport: Transport, environments: Sequence[Environment]) -> Latest[LayeredSnapshot]:
    names = [one.name for one in environments]
    *below, top = environments
    query = {"layers": ",".join(f"{one.project}/{one.slug}" for one in below)}

    def pulled_of(answer: Answer) -> Pulled[LayeredSnapshot]:
        revision, entries = secrets_in(answer)
        revisions = _revisions_in(answer.etag)
        sources = {entry["key"]: f"{top.organization}/{entry.get('from')}" for entry in entries}
        is_tagged = len(revisions) == len(names) and revisions[-1] == revision
        if is_tagged and set(sources.values()) <= set(names):
            layers = [Layer(name, number) for name, number in zip(names, revisions)]
            snapshot = LayeredSnapshot(layers, values_of(entries), sources, expanding=expanding_among(entries))
            return Pulled(snapshot, entries, answer.etag)
        # Debuggers and error reports show the local variables of each frame.
        del entries
        raise not_the_service(answer) if is_tagged else _UntaggedError

    return Latest(transport, path_of(top.name), query, pulled_of, LayeredSnapshot._as_stale)


def _revisions_in(etag: str | None) -> list[int]:
    """The tag has the revisions of all layers, in their order."""
    found = re.fullmatch(r'(?:W/)?"([0-9]+(?:\.[0-9]+)*)"', etag or "")
    return [int(number) for number in found.group(1).split(".")] if found else []


def _merged(pulled: Sequence[tuple[str, Snapshot]], keys: Sequence[str] | None) -> LayeredSnapshot:
    sources = {key: (name, snapshot) for name, snapshot in pulled for key in snapshot}
    for key in keys or ():
        if key not in sources:
            message = f"There is no secret {key} in any of these environments."
            raise HoldfastError(message, "secret_not_found", status=404)
    shown = sorted(sources if keys is None else set(keys))
    return LayeredSnapshot(
        [Layer(name, snapshot.revision) for name, snapshot in pulled],
        {key: sources[key][1][key] for key in shown},
        {key: sources[key][0] for key in shown},
        stale=any(snapshot.stale for _, snapshot in pulled),
        expanding={key for key in shown if sources[key][1].expands(key)},
    )
