"""Sharding of tensor programs: docs/python.md."""
import inspect
import sys

from shardy import _shardy
from shardy._shardy import *  # noqa: F401,F403

__version__ = _shardy.__version__
__all__ = sorted([name for name in vars(_shardy) if not name.startswith("_")]
                 + ["ProgressBar", "from_lowered", "load", "records"])


def load(path, *, form="auto"):
    """Reads the program of a file."""
    with open(path, "rb") as file:
        return _shardy.parse(file.read(), str(path), form=form)


def from_lowered(lowered, *, name="", form="auto"):
    """Reads a program from an object with a method `as_text`, such as `jax.jit(f).lower(x)`; with locations if it has them."""
    parameters = inspect.signature(lowered.as_text).parameters
    options = {"debug_info": True} if "debug_info" in parameters else {}
    text = lowered.as_text(**options)
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"as_text() returned {type(text).__name__}, not text")
    return _shardy.parse(text, name or f"<{type(lowered).__name__}>", form=form)


class ProgressBar:
    """One line with the state of a search, in a terminal or a notebook: `progress=True` shows one."""

    def __init__(self, stream=None, width=40):
        """Writes to `stream`; the default is standard error."""
        self._stream = sys.stderr if stream is None else stream
        self._width = width
        self._shown = 0

    def __call__(self, stage, done, total):
        """Shows the stage, and the completed tries of `total`; 0 is unknown."""
        bar = ""
        if total:
            full = self._width * done // total
            bar = " [" + "#" * full + "." * (self._width - full) + "]"
        line = f"{stage}{bar} {done}" + (f"/{total}" if total else "")
        self._stream.write("\r" + line.ljust(self._shown))
        self._stream.flush()
        self._shown = len(line)

    def close(self):
        """Ends the line."""
        if self._shown:
            self._stream.write("\n")
            self._stream.flush()
        self._shown = 0


def _plain(value):
    """The value in lists, dicts, numbers and text."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if type(value) in _RECORDS:
        return value.to_dict()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _to_dict(self):
    """Returns the members by name; members that are records become dicts, too."""
    return {name: _plain(getattr(self, name)) for name, member in vars(type(self)).items() if isinstance(member, property)}


def records(rows):
    """Returns a dict per row, as `pandas.DataFrame` takes them."""
    return [row.to_dict() for row in rows]


_VALUES = ("AxesQuery", "Autoshard", "CommonAxesQuery", "Context", "DirectionQuery", "Error", "Factor", "Mesh", "Op", "OrderQuery", "PlanQuery",
           "Program", "QueryTensor", "Rule", "Sharding", "Value")
_RECORDS = {member for name, member in vars(_shardy).items() if isinstance(member, type) and name not in _VALUES}
for _member in vars(_shardy).values():
    if isinstance(_member, type):
        _member.__module__ = "shardy"
for _record in _RECORDS:
    _record.to_dict = _to_dict
