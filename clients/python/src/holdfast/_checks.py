"""Checks of what a program gives to the client."""

from __future__ import annotations

import re
import urllib.parse


def is_address(text: str) -> bool:
    """Whether it is an http or https address that a request can be sent to."""
    if not re.fullmatch(r"[\x21-\x7e]+", text):
        return False
    try:
        url = urllib.parse.urlsplit(text)
        return url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        return False


def base_of(given: str) -> str:
    """The address of the service, without ``/v1``."""
    text = given.strip()
    # What comes before an @ are credentials.
    if is_address(text) and not re.search("[@?#]", text):
        return re.sub(r"/v1$", "", text.rstrip("/"))
    # Debuggers and error reports show the local variables of each frame.
    del given, text
    raise ValueError("url must be an http or https address without credentials, query and fragment.")


def check_token(token: object) -> str:
    """A header can't contain a line break, and the error from ``http.client`` would quote the token."""
    trimmed = token.strip() if isinstance(token, str) else ""
    if re.fullmatch(r"[\x21-\x7e]+", trimmed):
        return trimmed
    # Debuggers and error reports show the local variables of each frame.
    del token, trimmed
    raise ValueError("token must be one word of printable ASCII characters.")


def bounded(name: str, value: float, minimum: float, maximum: float) -> float:
    if minimum <= value <= maximum:
        return value
    raise ValueError(f"{name} must be {minimum:g} to {maximum:,.0f}.")
