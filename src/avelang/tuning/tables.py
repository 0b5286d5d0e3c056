"""Tables of tuned choices: a kernel, a device and a key come in; the choice that was the fastest there goes out.

A table is a text file: a head, and a row for each kernel, device and key, sorted, columns with ` | ` between. It is
made to be checked in: a new measurement changes one line. Rows say where they come from: the time and its spread, the
runner-up, driver, clocks, versions, date. A table is only ever replaced whole, in one step; who writes reads it again
first, under a lock, so that several tuners may write to one.

Where choices are looked for, in this order: the table that is pinned, alone; else those of AVE_TUNED, the user's own,
and those that packages have added (`add`). They are read once; what a lookup has found is found again by one look into
a dict."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import os
import pathlib
import re
import tempfile
import threading
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import avelang.tuning.values as values
from avelang.base import knobs
from avelang.base.errors import error
from avelang.base.places import here
from avelang.base.words import CHOICES

FORMAT = 1
HEAD = f"# Ave's tuned choices, format {FORMAT}: a row for a kernel, a device and a key (docs/tune.md)"
_PINNED = "# pinned "
_BAR = " | "
Place = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. `choice` and `next`: texts of the choice and of the runner-up; `us` and `next_us`: their median
    microseconds, `spread` half the distance of the winner's quartiles in percent. `tried`: how many contenders were
    timed, of how many choices there are; `rejected`: how many were wrong or could not be compiled or run; `rounds`: of
    the race, with a `?` where it was not decided; `judge`: what results were held against; `source`: a digest of the
    kernel's text; `when`: UTC."""

    kernel: str
    device: str
    key: str
    choice: str
    us: float
    spread: float = 0.0
    next: str = "-"
    next_us: float = 0.0
    tried: str = "1/1"
    rejected: int = 0
    rounds: str = "-"
    judge: str = "-"
    clock: str = "-"
    source: str = "-"
    driver: str = "-"
    clocks: str = "-"
    versions: str = "-"
    when: str = "-"

    @property
    def place(self) -> tuple[str, str, str]:
        """The kernel, the device and the key: there is one row of it in a table."""
        return self.kernel, self.device, self.key

    @property
    def text(self) -> str:
        """The line of a table."""
        return _BAR.join(_cell(getattr(self, name)) for name in COLUMNS)

    @property
    def values(self) -> dict[str, Any]:
        """The choice as values by name."""
        return values.read(self.choice)


COLUMNS = tuple(field.name for field in dataclasses.fields(Row))
_LINE = _BAR.join(COLUMNS)
_KINDS = {"us": float, "next_us": float, "spread": float, "rejected": int}


def _cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return " ".join(text.replace("|", "/").split()) or "-"


def _row(line: str) -> Row:
    """The row of a line. Raises ValueError."""
    cells = [cell.strip() for cell in line.split(_BAR)]
    if len(cells) != len(COLUMNS):
        raise ValueError(f"it has {len(cells)} columns, and needs {len(COLUMNS)}")
    fields = {name: _KINDS.get(name, str)(cell) for name, cell in zip(COLUMNS, cells, strict=True)}
    row = Row(**fields)
    if not values.read(row.choice):
        raise ValueError("its choice names nothing")
    return row


class Table:
    """The rows of a table by kernel, device and key. `pinned`: it is not to be changed."""

    def __init__(self, rows: Iterable[Row] = (), pinned: bool = False):
        self.rows: dict[tuple[str, str, str], Row] = {}
        self.pinned = pinned
        for row in rows:
            self.rows[row.place] = row

    def __iter__(self) -> Iterator[Row]:
        return iter(sorted(self.rows.values(), key=lambda row: row.place))

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def digest(self) -> str:
        """A digest of all choices: two tables with the same one choose alike."""
        said = "\n".join(_BAR.join((*row.place, row.choice)) for row in self)
        return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"

    @property
    def text(self) -> str:
        """The file."""
        pin = [_PINNED + self.digest] if self.pinned else []
        return "\n".join([HEAD, *pin, _LINE, *(row.text for row in self)]) + "\n"


def parse(text: str, name: str) -> Table:
    """The table of a text; `name` is for messages. Raises D040 with the line, and D041 for a pinned table whose choices
    were changed since."""
    lines = text.splitlines()
    if not lines:
        return Table()
    found = re.match(r"# Ave's tuned choices, format (\d+)", lines[0])
    if found is None or int(found[1]) != FORMAT:
        why = "it does not begin as such a table does" if found is None else f"it is of format {found[1]}"
        raise error("D040", file=name, line=1, why=why)
    rows: dict[tuple[str, str, str], Row] = {}
    pinned = ""
    for number, line in enumerate(lines[1:], 2):
        if line.startswith(_PINNED):
            pinned = line.removeprefix(_PINNED).strip()
        elif line.strip() and not line.startswith("#") and line != _LINE:
            try:
                row = _row(line)
            except ValueError as e:
                raise error("D040", file=name, line=number, why=str(e)) from None
            if row.place in rows:
                raise error("D040", file=name, line=number, why="it has this kernel, device and key twice")
            rows[row.place] = row
    table = Table(rows.values(), bool(pinned))
    if pinned and pinned != table.digest:
        raise error("D041", file=name, why=f"its choices were changed since it was pinned ({pinned[:19]}...)",
                    instead="take the version back that was pinned, or pin it anew: ave tune pin")
    return table


def read(file: Place) -> Table:
    """The table of a file; empty where there is none. Raises D040, D041."""
    try:
        text = pathlib.Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Table()
    except (OSError, UnicodeDecodeError) as e:
        raise error("D040", file=os.fspath(file), line=0, why=getattr(e, "strerror", None) or str(e)) from None
    return parse(text, os.fspath(file))


def write(file: Place, table: Table) -> None:
    """Replaces a file by a table, in one step. Raises D052 where that cannot be."""
    with writing(file):
        _replace(pathlib.Path(file), table)


@contextlib.contextmanager
def writing(file: Place) -> Iterator[None]:
    """A region that writes a file, where an error of the system is D052."""
    try:
        yield
    except OSError as e:
        raise error("D052", here(), file=os.fspath(file), why=e.strerror or str(e)) from None


def _replace(place: pathlib.Path, table: Table) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(table.text)
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(OSError):
            os.chmod(temporary, os.stat(place).st_mode & 0o777 if place.exists() else 0o644)
        os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def locked(file: Place) -> Iterator[None]:
    """Holds the lock of a file: `.FILE.lock` beside it. Systems without `flock` have none. Raises D052 where nothing
    can be written there."""
    place = pathlib.Path(file)
    place = place.with_name(f".{place.name}.lock")
    with contextlib.ExitStack() as held:
        with writing(file):
            place.parent.mkdir(parents=True, exist_ok=True)
            handle = held.enter_context(open(place, "a", encoding="utf-8"))
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def record(file: Place, rows: Sequence[Row]) -> Table:
    """Puts rows into the table of a file, in the place of older ones, and returns it. Raises D040, and D041 for a table
    that is pinned."""
    with locked(file):
        table = read(file)
        if table.pinned:
            raise error("D041", file=os.fspath(file), why="it is pinned, and a tuner would change it",
                        instead="tune into another (AVE_TUNED, --table), or unpin it: ave tune pin --off")
        table = Table([*table, *rows])
        write(file, table)
    forget()
    return table


# -- merging ---

_ORDERS = {
    "newer": lambda row: (row.when, -row.us, row.text),
    "faster": lambda row: (-row.us, row.when, row.text),
}
PREFER = tuple(_ORDERS)


def merge(tables: Iterable[Table], prefer: str = "newer") -> tuple[Table, list[tuple[Row, Row]]]:
    """One table of several, and what they do not agree on: (row that stays, row that goes), where the choices differ.

    `prefer`: the newer row stays, of two of one time the faster, of two alike the one whose text comes later; or the
    "faster" one, then the newer. Either is an order of all rows: neither the sequence of tables nor the way in which
    they are put together in steps changes the result."""
    best = _ORDERS[prefer]
    rows: dict[tuple[str, str, str], Row] = {}
    clashes: list[tuple[Row, Row]] = []
    for row in (row for table in tables for row in table):
        other = rows.get(row.place)
        if other is None:
            rows[row.place] = row
            continue
        stays = max(row, other, key=best)
        goes = other if stays is row else row
        rows[row.place] = stays
        if stays.choice != goes.choice:
            clashes.append((stays, goes))
    return Table(rows.values()), clashes


# -- looking up ---

_LOCK = threading.RLock()
_MEMO: dict[Any, Mapping[str, Any] | None] = {}
_READ: dict[str, Table] = {}
_ADDED: list[str] = []
_PIN: list[str] = []
EPOCH = CHOICES


def own() -> pathlib.Path:
    """The user's own table: `tuned.txt` in the user's data folder."""
    return _own(*knobs.data_homes())


@functools.lru_cache(maxsize=8)
def _own(*folders: str | None) -> pathlib.Path:
    """The same, for these values of what names the folder: to find it takes as long as a tile's whole choice."""
    import platformdirs

    return pathlib.Path(platformdirs.user_data_dir("avelang", appauthor=False)) / "tuned.txt"


def places() -> list[str]:
    """The files in which choices are looked for, best first; the pinned one alone where there is one."""
    if _PIN:
        return list(_PIN)
    return [*knobs.tuned(), str(own()), *_ADDED]


def default() -> str:
    """The file that tuners write to: the first of AVE_TUNED, or the user's own. Raises D041 where a table is pinned."""
    if _PIN:
        raise error("D041", file=_PIN[0], why="choices are pinned to it in this process",
                    instead="tune with another table: table=FILE")
    return next(iter(knobs.tuned()), str(own()))


def _table(file: str) -> Table:
    if file not in _READ:
        _READ[file] = read(file)
    return _READ[file]


def row(kernel: str, device: str, key: Any) -> Row | None:
    """The row of the first table that has one. Raises D040, D041."""
    text = key if isinstance(key, str) else values.key_text(key)
    with _LOCK:
        files = places()
        for file in files:
            table = _table(file)
            if (kernel, device, text) in table.rows:
                return table.rows[kernel, device, text]
            if table.pinned:
                break
    return None


def find(kernel: str, device: str, key: Any) -> Mapping[str, Any] | None:
    """The tuned choice of a kernel on a device for a key, as values by name; None where no table has one.

    `device`: as `device_of` names it. `key`: a text, or a tuple of what it is made of, such as ("bf16", m, n, k); it is
    hashable. A lookup like one before costs one look into a dict (0.1 us). A table that is pinned is the last that is
    looked into. Raises D040 for a table that cannot be read, D041 for a pinned one that was changed."""
    try:
        return _MEMO[kernel, device, key]
    except KeyError:
        found = row(kernel, device, key)
        choice = None if found is None else types.MappingProxyType(found.values)
        with _LOCK:
            _MEMO[kernel, device, key] = choice
        return choice


def epoch() -> int:
    """A number that grows whenever a lookup may give another answer: for those who keep what `find` gave."""
    return EPOCH.value


def forget() -> None:
    """Reads tables again at the next lookup: after one was changed by another process."""
    with _LOCK:
        _MEMO.clear()
        _READ.clear()
        EPOCH.put(EPOCH.value + 1)


def add(file: Place) -> None:
    """Adds a table in which choices are looked for behind the user's: for packages that bring one."""
    with _LOCK:
        if os.fspath(file) not in _ADDED:
            _ADDED.append(os.fspath(file))
        forget()


def pin(file: Place | None) -> None:
    """Takes the choices of this process from one table and no other; None: from all again. What it does not have gets
    the choice of a kernel that was never tuned. Raises D040 for a file that is no table, D041 for one that was changed
    since it was pinned (`ave tune pin`)."""
    with _LOCK:
        if file is not None and not os.path.exists(file):
            raise error("D040", file=os.fspath(file), line=0, why="there is no such file")
        if file is not None:
            read(file)
        _PIN[:] = [] if file is None else [os.fspath(file)]
        forget()


def pinned() -> str | None:
    """The file that choices are pinned to in this process."""
    return _PIN[0] if _PIN else None
