"""Runs calls of the SDK that its standard input describes, for the cases that both SDKs pass."""

import contextlib
import json
import os
import pprint
import sys
import time
import traceback

import holdfast
from holdfast import _aws, _id_token_sources, _sts
from holdfast._variables import Variables

NAMES = {
    "ApprovalRequiredError": "ApprovalRequired",
    "RevisionMismatchError": "RevisionMismatch",
    "ServiceTimeoutError": "TimeoutError",
    "ServiceUnreachableError": "ConnectionError",
    "VersionMismatchError": "VersionMismatch",
}
OPTIONS = {
    "attemptTimeoutMs": "attempt_timeout",
    "maxAgeMs": "max_age",
    "staleIfErrorMs": "stale_if_error",
    "timeoutMs": "timeout",
    "tokenTimeoutMs": "token_timeout",
    "waitMs": "wait",
}
SET_OPTIONS = {"expand": "expand", "ifRevision": "if_revision", "ifVersion": "if_version", "message": "message"}
real_time = time.time
own_environment = dict(os.environ)


class State:
    client = None
    environment = None
    watched = None
    failed = []


def open_client(message):
    options = {OPTIONS[name]: value / 1000 for name, value in message["options"].items() if name in OPTIONS}
    if "retries" in message["options"]:
        options["retries"] = message["options"]["retries"]
    token, id_token = message["options"].get("token"), message["options"].get("idToken")
    if message.get("variables") is None:
        given = "service_tok_nobody-may-log" if token is None else token
        State.client = holdfast.Holdfast(message["url"], function_of(given), **options)
    else:
        os.environ.update(message["variables"])
        own = {} if id_token is None else {"id_token": function_of(id_token)}
        State.client = holdfast.Holdfast.from_environment(**own, **options)
    State.environment = State.client.environment("acme/web-shop/dev")
    return {}


def function_of(turns):
    if turns == "never":
        return lambda *_: time.sleep(1_000_000)
    if isinstance(turns, str):
        return turns
    texts = list(turns["inTurn"])

    def function(*_):
        time.sleep(turns.get("delayMs", 0) / 1000)
        return texts.pop(0) if len(texts) > 1 else texts[0]

    return function


def call(message):
    kind, *given = message["call"]
    return globals()[f"call_{kind}"](message, *given)


def call_open(_):
    return {}


def pull_options(given):
    names = {**OPTIONS, "keys": "keys", "revision": "revision", "raw": "raw"}
    return {names[name]: value / 1000 if name in OPTIONS else value for name, value in (given or {}).items()}


def call_pull(_, given=None):
    return shown_of(State.environment.pull(**pull_options(given)))


def call_get(_, key):
    return {"value": State.environment.get(key)}


def call_set(_, key, value, given=None):
    options = {SET_OPTIONS[name]: value for name, value in (given or {}).items()}
    result = State.environment.set(key, value, **options)
    return {"changed": result.changed, "revision": result.revision, "version": result.version}


def call_layers(_, names, given=None):
    snapshot = State.client.layers(names, **pull_options(given))
    return {
        **shown_of(snapshot),
        "sources": {key: snapshot.source_of(key) for key in snapshot},
        "layers": [list(layer) for layer in snapshot.layers],
    }


def call_watch(_, given):
    State.failed = []
    options = {"interval": given["intervalMs"] / 1000, "on_error": lambda error: State.failed.append(error.code)}
    layers = given.get("layers")
    watch = State.environment.watch if layers is None else State.client.watch_layers
    State.watched = watch(*([] if layers is None else [layers]), **options)
    return {}


def call_next(_):
    snapshot = next(State.watched, None)
    if snapshot is None:
        return {"ended": True}
    failed, State.failed[:] = list(State.failed), []
    return {**shown_of(snapshot), "failed": failed}


def call_idToken(message):  # noqa: N802
    variables = Variables({"PATH": os.environ["PATH"], **message["variables"]})
    return {"token": _id_token_sources.platform_assertion("i-1", variables)()}


def call_trustsContainer(_, address):  # noqa: N802
    return {"trusted": _aws.is_trusted_container_address(address)}


def call_sts(_, region):
    return {"url": _sts.Sts(region, "").url}


def shown_of(snapshot):
    shown = repr(snapshot) + str(snapshot) + pprint.pformat(snapshot) + snapshot.__sentry_repr__()
    return {
        "revision": snapshot.revision,
        "stale": snapshot.stale,
        "values": dict(snapshot),
        "expanding": [key for key in snapshot if snapshot.expands(key)],
        "count": len(snapshot),
        "showsValue": any(value != "" and value in shown for value in snapshot.values()),
    }


def outcome_of(work, message):
    try:
        return {"result": work(message)}
    except holdfast.HoldfastError as error:
        kind = type(error).__name__
        facts = {
            "type": NAMES.get(kind, kind),
            "code": error.code,
            "status": error.status,
            "requestId": error.request_id,
            "details": error.details,
            "retryable": error.retryable,
            "retryAfterMs": None if error.retry_after is None else error.retry_after * 1000,
            "outcomeUnknown": error.outcome_unknown,
        }
        if isinstance(error, holdfast.RevisionMismatchError):
            facts["currentRevision"] = error.current_revision
        if isinstance(error, holdfast.VersionMismatchError):
            facts["currentVersion"] = error.current_version
        if isinstance(error, holdfast.ApprovalRequiredError):
            facts["propose"] = error.propose
        return {"error": {**facts, "message": str(error), "shown": shown_in(error)}}
    except (TypeError, ValueError) as error:
        return {"error": {"type": "usage", "message": str(error), "shown": shown_in(error)}}


def shown_in(error):
    """What error reports such as Sentry's and Django's page show: the package's frames have local variables too."""
    shown = traceback.format_exception(type(error), error, error.__traceback__)
    current = error
    while current is not None:
        shown.append(repr(vars(current)))
        for frame, _ in traceback.walk_tb(current.__traceback__):
            folder, file = os.path.split(frame.f_code.co_filename)
            if folder != os.path.dirname(holdfast.__file__):
                continue
            # What the application gives is in its own frames as well.
            is_given = file == "_environment.py" and frame.f_code.co_name in ("set", "apply")
            if not is_given and frame.f_code.co_name not in ("__init__", "from_environment"):
                shown.append(f"{frame.f_code.co_name} {frame.f_locals!r}")
        current = current.__cause__ or current.__context__
    return "\n".join(shown)


def advance(message):
    moved = time.time() - real_time() + message["milliseconds"] / 1000
    time.time = lambda: real_time() + moved
    return {}


def reset(_):
    if State.client is not None:
        State.client.close()
    time.time = real_time
    os.environ.clear()
    os.environ.update(own_environment)
    State.client = State.environment = State.watched = None
    return {}


OPERATIONS = {"open": open_client, "call": call, "advance": advance, "reset": reset}

with contextlib.suppress(BrokenPipeError):
    for line in sys.stdin:
        message = json.loads(line)
        print(json.dumps(outcome_of(OPERATIONS[message["op"]], message)), flush=True)
