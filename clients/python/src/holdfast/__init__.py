"""Reads and changes the secrets of a Holdfast service."""

from ._client import Holdfast
from ._environment import Environment
from ._errors import (
    ApprovalRequiredError,
    GatewayError,
    HoldfastError,
    RevisionMismatchError,
    ServiceTimeoutError,
    ServiceUnreachableError,
    VersionMismatchError,
)
from ._snapshot import Layer, LayeredSnapshot, Snapshot
from ._version import __version__
from ._write import ApplyResult, Changes, ExpandingValue, SetResult

__all__ = [
    "ApplyResult",
    "ApprovalRequiredError",
    "Changes",
    "Environment",
    "ExpandingValue",
    "GatewayError",
    "Holdfast",
    "HoldfastError",
    "Layer",
    "LayeredSnapshot",
    "RevisionMismatchError",
    "ServiceTimeoutError",
    "ServiceUnreachableError",
    "SetResult",
    "Snapshot",
    "VersionMismatchError",
    "__version__",
]
