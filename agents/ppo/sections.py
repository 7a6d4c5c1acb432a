"""What the sections of a configuration are made of: checked numbers, and numbers that fall over a run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from eck_env.checks import unknown_key


def _whole_number(value: Any) -> Any:
    """Take numbers such as 2e6, which YAML reads as text or as a float, for the whole numbers they are."""
    if isinstance(value, bool):
        raise ValueError("must be a whole number")
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a number")
    return value


Whole = Annotated[int, BeforeValidator(_whole_number)]
Number = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False)]
Positive = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(ge=0, le=1)]


class Section(BaseModel):
    """A part of the configuration; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, data: Any) -> Any:
        if isinstance(data, cls):
            return data
        if not isinstance(data, dict):
            raise ValueError(f"must be a section with the keys {', '.join(cls.model_fields)}")
        for key in data:
            if key not in cls.model_fields:
                raise unknown_key(key, cls.model_fields, "this section")
        return data


class Schedule(Section):
    """A number that stays, or that falls to nothing over the run; a plain number in the YAML file stays."""

    start: Annotated[Number, Field(ge=0)]
    """Its value at the start."""
    decay: Literal["constant", "linear"] = "constant"
    """``constant``: it stays; ``linear``: it falls to 0 at the end of the run."""

    @model_validator(mode="before")
    @classmethod
    def _take_number(cls, data: Any) -> Any:
        return data if isinstance(data, dict | Section) else {"start": data}

    def at(self, progress: float) -> float:
        """Return the value when this share of the run, from 0 to 1, is done."""
        return self.start if self.decay == "constant" else self.start * max(0.0, 1.0 - progress)
