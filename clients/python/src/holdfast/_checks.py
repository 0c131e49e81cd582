"""Checks of what a program gives to the client."""

from __future__ import annotations

import re
import urllib.parse


def base_of(given: str) -> str:
    text = given.strip()
    try:
        url = urllib.parse.urlsplit(text)
        is_address = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
        is_plain = url.username is None and url.password is None and not url.query and not url.fragment
    except ValueError:
        is_address = is_plain = False
    if not is_address or not is_plain or not re.fullmatch(r"[\x21-\x7e]+", text):
        # Debuggers and error reports show the local variables of each frame.
        del given, text, url
        raise ValueError("url must be an http or https address without credentials, query and fragment.")
    return re.sub(r"/v1$", "", text.rstrip("/"))


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
