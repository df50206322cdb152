"""A rubric: what a judge is asked and the form of its reply, read from a TOML file whose bytes are its identity."""

from __future__ import annotations

import functools
import keyword
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_bytes, read_toml, validate_record
from ragtriage.core.identity import hash_bytes
from ragtriage.core.records import Record

__all__ = ["Rubric", "RubricField", "RubricFile", "read_rubric"]

FieldType = Literal["text", "label", "grade", "flag", "texts", "quote", "source", "records"]
ReplyForm = Literal["one", "each", "list"]
_MAX_TEXT, _MAX_LIST = 8000, 400


class RubricField(Record):
    """One field of the reply; a judge fills them in the order of the file, so that it reasons before it decides.

    label: one of `labels`; grade: a whole number from `low` to `high`; flag: true or false; quote: words that stand
    in a source; source: the id of one; records: a list of objects with `fields` of their own. `most`, `longest`: the
    most texts of a list and characters of a text that the schema lets an endpoint write (0: the general limit); a reply
    that says more, from an endpoint without schemas, is still read.
    """

    name: str
    type: FieldType
    about: str
    labels: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    most: Annotated[int, Field(ge=0, le=_MAX_LIST)] = 0
    longest: Annotated[int, Field(ge=0, le=_MAX_TEXT)] = 0
    fields: tuple[RubricField, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not self.name.isidentifier() or keyword.iskeyword(self.name) or self.name in {"id", "verdicts", "items"}:
            raise ValueError(f"a field cannot be called {self.name!r}")
        for needs, given, what in (
            (self.type == "label", len(set(self.labels)) > 1, "two or more different 'labels'"),
            (self.type == "grade", self.high > self.low, "'low' below 'high'"),
            (self.type == "records", bool(self.fields), "'fields'"),
        ):
            if needs != given:
                raise ValueError(f"field {self.name!r} of type {self.type!r} {'needs' if needs else 'has no'} {what}")
        if (self.most and self.type not in {"texts", "records"}) or (
            self.longest and self.type not in {"text", "texts"}
        ):
            raise ValueError(f"field {self.name!r} of type {self.type!r} has no 'most' or 'longest'")
        return self


class RubricFile(Record):
    """The file. `reply`: one object; `each` item answered by its id; or a `list` of what was found.

    `decides`: the field that the score is recomputed from. `canaries`: two items whose right label is known are mixed
    in, one that a source says (`canary_true` are the labels that are right for it) and one that none says. `needs`:
    for a label, the stances of which at least one must be among the evidence; `excludes`: those that must not.
    `used_by`: the metrics that count its verdicts and the commands that ask it. `calibration`: labels by people that
    ship with the rubric, beside its file; None: none do.
    """

    version: Annotated[int, Field(ge=1)]
    title: str
    produces: str
    inputs: Annotated[tuple[str, ...], Field(min_length=1)]
    reply: ReplyForm
    decides: str | None = None
    canaries: bool = False
    canary_true: tuple[str, ...] = ()
    canary_false: tuple[str, ...] = ()
    needs: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    excludes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    instruction: str
    failure_modes: Annotated[tuple[str, ...], Field(min_length=1)]
    source: str
    calibration: str | None = None
    used_by: tuple[str, ...] = ()
    fields: Annotated[tuple[RubricField, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        names = [f.name for f in self.fields]
        if len(set(names)) != len(names):
            raise ValueError("a field stands twice")
        if self.decides is not None and self.decides not in names:
            raise ValueError(f"'decides' names {self.decides!r}, which is no field")
        if self.canaries and not (self.reply == "each" and self.canary_true and self.canary_false):
            raise ValueError("canaries need reply = 'each', 'canary_true' and 'canary_false'")
        labels = set(self.labels)
        for named in (*self.canary_true, *self.canary_false, *self.needs, *self.excludes):
            if named not in labels:
                raise ValueError(f"{named!r} is no label of {self.decides!r}")
        return self

    @property
    def decisive(self) -> RubricField | None:
        """The field that decides, None where the reply is a list of texts."""
        return next((f for f in self.fields if f.name == self.decides), None)

    @property
    def labels(self) -> tuple[str, ...]:
        """The closed labels or grades, as text, of the field that decides."""
        field = self.decisive
        if field is None:
            return ()
        if field.type == "grade":
            return tuple(map(str, range(field.low, field.high + 1)))
        return ("false", "true") if field.type == "flag" else field.labels


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Rubric:
    """A rubric that was read: its name, its file, the hash of the file's bytes, and the model of its replies."""

    def __init__(self, name: str, file: RubricFile, identity: str, *, folder: Path) -> None:
        self.name = name
        self.file = file
        self.identity = identity
        self._folder = folder

    @property
    def labels_file(self) -> Path | None:
        """The labels that ship with it; None where none do."""
        return None if self.file.calibration is None else self._folder / self.file.calibration

    @functools.cached_property
    def model(self) -> type[BaseModel]:
        """The whole reply as it is read."""
        return _reply_model(self.name, self.file, short=False)

    @functools.cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the reply, as endpoints take it: every field required, none unknown, lists kept short."""
        return _reply_model(self.name, self.file, short=True).model_json_schema()


def _reply_model(name: str, file: RubricFile, *, short: bool) -> type[BaseModel]:
    """Return the form of a reply; `short`: with the limits of the fields."""
    given: dict[str, Any] = {"id": (_text(), ...)} if file.reply == "each" else {}
    item = _record(_title(name), file.fields, given, short=short)
    if file.reply == "one":
        return item
    outer = "verdicts" if file.reply == "each" else "items"
    listed = Annotated[list[item], Field(max_length=_MAX_LIST)]  # type: ignore[valid-type]
    return _model(f"{_title(name)}Reply", {outer: (listed, ...)})


def _title(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))


def _text(longest: int = _MAX_TEXT) -> Any:
    return Annotated[str, Field(max_length=longest)]


def _record(name: str, fields: tuple[RubricField, ...], given: dict[str, Any], *, short: bool) -> type[BaseModel]:
    shapes = {f.name: (_shape(f, f"{name}{_title(f.name)}", short=short), Field(description=f.about)) for f in fields}
    return _model(name, given | shapes)


def _model(name: str, fields: dict[str, Any]) -> type[BaseModel]:
    return create_model(name, __base__=_Reply, **fields)


def _shape(field: RubricField, name: str, *, short: bool) -> Any:
    most = field.most if short and field.most else _MAX_LIST
    longest = field.longest if short and field.longest else _MAX_TEXT
    match field.type:
        case "label":
            return Literal[field.labels]
        case "grade":
            return Annotated[int, Field(ge=field.low, le=field.high)]
        case "flag":
            return bool
        case "texts":
            return Annotated[list[_text(longest)], Field(max_length=most)]  # type: ignore[misc]
        case "records":
            return Annotated[list[_record(name, field.fields, {}, short=short)], Field(max_length=most)]  # type: ignore[misc]
        case _:
            return _text(longest)


def read_rubric(path: Path) -> Rubric:
    """Read a rubric; raises BadInput with every fault of the file."""
    content, problems = validate_record(RubricFile, read_toml(path))
    if content is None:
        raise BadInput(f"{path}: {'; '.join(problems)}")
    return Rubric(path.stem, content, hash_bytes(read_bytes(path)), folder=path.parent)
