"""The version of the package. A test compares it with ``pyproject.toml``."""

__version__ = "0.1.0"
