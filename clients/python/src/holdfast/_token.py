"""A credential in the hands of the client."""


class Token:
    """Keeps a token out of the ``repr`` of local variables, which debuggers and error reports show."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
