"""A client of one service, with one credential."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import TracebackType
from typing import TypeVar, Union

from ._environment import Environment
from ._id_token_sources import platform_assertion
from ._identity import IDENTITY_TIMEOUT, IdentityToken, audience_of, check_id_token
from ._layers import LayersPuller
from ._platform import read_named_file
from ._pull import Puller
from ._snapshot import LayeredSnapshot
from ._transport import TokenFunction, Transport
from ._variables import Variables
from ._watch import OnError, watch_pulls

#: Bounds the memory of a process that visits many environments.
_KEPT_ENVIRONMENTS = 100

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
Layers = Sequence[Union[str, Environment]]


class Holdfast:
    """A client of one service, with one credential. Threads can share it.

    It can be used in a ``with`` statement, which closes it.
    """

    def __init__(
        self,
        url: str,
        token: str | TokenFunction,
        *,
        timeout: float = 30.0,
        attempt_timeout: float = 10.0,
        token_timeout: float | None = None,
        retries: int = 3,
        wait: float | None = None,
        max_age: float = 0.0,
        stale_if_error: float = 0.0,
        user_agent: str | None = None,
    ) -> None:
        """All times are in seconds.

        ``url`` is the address of the service, with or without ``/v1``. ``token`` is a bearer token, or a function that
        returns one before each attempt; after a 401 it gets the token that was rejected, and if it returns another one,
        the request is sent once more.

        ``timeout`` limits one call with all attempts and pauses, ``attempt_timeout`` one attempt, ``token_timeout`` one
        call of the token function, which the other limits don't count. ``retries`` are attempts after the first.
        ``wait`` limits the pauses of one call that the service asks for: after a 429, or by ``Retry-After``. They don't
        count towards ``timeout`` and ``retries`` then.

        An answer younger than ``max_age`` is returned without asking the service. During an outage, an answer confirmed
        less than ``stale_if_error`` ago is returned, marked ``stale``; never after 401, 403, 404. Audit entries show
        ``user_agent``.
        """
        self._transport = Transport(
            url,
            token,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            token_timeout=token_timeout,
            retries=retries,
            wait=wait,
            user_agent=user_agent,
        )
        self._max_age = max_age
        self._stale_if_error = stale_if_error
        self._lock = threading.Lock()
        self._environments: OrderedDict[str, Environment] = OrderedDict()
        self._layered: OrderedDict[tuple[str, ...], LayersPuller] = OrderedDict()

    @classmethod
    def from_environment(
        cls,
        *,
        id_token: Callable[[str], str] | None = None,
        timeout: float = 30.0,
        attempt_timeout: float = 10.0,
        token_timeout: float | None = None,
        retries: int = 3,
        wait: float | None = None,
        max_age: float = 0.0,
        stale_if_error: float = 0.0,
        user_agent: str | None = None,
    ) -> Holdfast:
        """Uses the address in ``HOLDFAST_URL`` and the token in ``HOLDFAST_TOKEN``, else in ``HOLDFAST_TOKEN_FILE``.

        Without a token it signs in as the identity ``HOLDFAST_IDENTITY`` of the organization ``HOLDFAST_ORG``, with the
        ID token that ``id_token`` returns for an audience, or that the platform provides.
        """
        variables = Variables(os.environ)
        url = _required(variables, "HOLDFAST_URL")
        token = _token_in(variables) or _identity_in(variables, url, id_token, user_agent)
        if isinstance(token, IdentityToken) and token_timeout is None:
            token_timeout = IDENTITY_TIMEOUT
        return cls(
            url,
            token,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            token_timeout=token_timeout,
            retries=retries,
            wait=wait,
            max_age=max_age,
            stale_if_error=stale_if_error,
            user_agent=user_agent,
        )

    def __enter__(self) -> Holdfast:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Holdfast {self._transport.origin}>"

    def close(self) -> None:
        """Forgets the token and all values, and ends the requests and watches of all threads."""
        self._transport.close()
        with self._lock:
            pullers: list[LayersPuller | Puller] = [
                *self._layered.values(),
                *(one._puller for one in self._environments.values()),
            ]
        for puller in pullers:
            puller.forget()

    def environment(self, name: str) -> Environment:
        """``name`` is ``organization/project/environment``.

        The same name returns the same object, so its pulls share requests and the latest answer.
        """
        with self._lock:
            return _kept_in(self._environments, name, lambda: self._new_environment(name))

    def layers(
        self,
        environments: Layers,
        *,
        keys: Sequence[str] | None = None,
        raw: bool = False,
        max_age: float | None = None,
        stale_if_error: float | None = None,
    ) -> LayeredSnapshot:
        """Pulls several environments as one: where several have a key, the last one wins.

        ``environments`` has the lowest layer first: environments or their names. Each one is audited on its own. If one
        is refused, so is the whole. Up to six environments of one organization take one request. ``keys`` are only some
        keys, of which one that no layer has is an error. The other arguments are as for ``Environment.pull``.
        """
        puller = self._layers_of(environments)
        return puller.pull(keys=keys, raw=raw, max_age=max_age, stale_if_error=stale_if_error)

    def watch_layers(
        self, environments: Layers, *, interval: float = 10.0, on_error: OnError | None = None
    ) -> Iterator[LayeredSnapshot]:
        """Like ``Environment.watch``: yields the layers' secrets, then again after each new revision of any of them."""
        puller = self._layers_of(environments)
        return watch_pulls(
            self._transport,
            lambda: puller.pull(keys=None, raw=False, max_age=0, stale_if_error=0),
            lambda snapshot: snapshot.layers,
            interval,
            on_error,
        )

    def _new_environment(self, name: str) -> Environment:
        return Environment(self._transport, name, max_age=self._max_age, stale_if_error=self._stale_if_error)

    def _layers_of(self, environments: Layers) -> LayersPuller:
        if isinstance(environments, str):
            raise TypeError("environments must be a list of environments.")
        if not environments:
            raise ValueError("environments must not be empty.")
        layers = [self.environment(one) if isinstance(one, str) else one for one in environments]

        def create() -> LayersPuller:
            return LayersPuller(self._transport, layers, max_age=self._max_age, stale_if_error=self._stale_if_error)

        # Those of another client may have the same names.
        if any(one._transport is not self._transport for one in layers):
            return create()
        with self._lock:
            return _kept_in(self._layered, tuple(one.name for one in layers), create)


def _kept_in(kept: OrderedDict[K, T], key: K, create: Callable[[], T]) -> T:
    """The entry, created if it is missing. The entries used last are kept."""
    entry = kept[key] if key in kept else create()
    kept[key] = entry
    kept.move_to_end(key)
    if len(kept) > _KEPT_ENVIRONMENTS:
        kept.popitem(last=False)
    return entry


def _required(variables: Variables, name: str) -> str:
    value = variables.get(name).strip()
    if not value:
        raise ValueError(f"The environment variable {name} is not set.")
    return value


def _token_in(variables: Variables) -> str | TokenFunction | None:
    token = variables.get("HOLDFAST_TOKEN").strip()
    path = variables.get("HOLDFAST_TOKEN_FILE").strip()
    if token or not path:
        return token or None

    def read(_: str | None) -> str:
        return read_named_file(path, "HOLDFAST_TOKEN_FILE")

    # Fails here, not at the first call. Later it is read each time, because platforms renew it.
    read(None)
    return read


def _identity_in(
    variables: Variables, url: str, id_token: Callable[[str], str] | None, user_agent: str | None
) -> IdentityToken:
    if not variables.get("HOLDFAST_IDENTITY").strip() and id_token is None:
        _required(variables, "HOLDFAST_TOKEN")
    organization = _required(variables, "HOLDFAST_ORG")
    identity = _required(variables, "HOLDFAST_IDENTITY")
    if id_token is None:
        return IdentityToken(url, organization, identity, platform_assertion(identity, variables), user_agent)
    own = id_token

    def assertion() -> str:
        return check_id_token("id_token", own(audience_of(identity)))

    return IdentityToken(url, organization, identity, assertion, user_agent)
