"""Request bodies: read within limits, checked against a model, described in OpenAPI."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.facts.faults import faults
from mutual_dissent.surfaces.http.body_limits import read_json

B = TypeVar("B", bound=BaseModel)

REF = "#/components/schemas/{model}"


async def body_of(request: Request, model: type[B], *, optional: bool = False) -> B:
    """Read the body of a request.

    Raises:
        Refused: if it is invalid or too large JSON.
        BadInput: if it is not what the model asks for.
    """
    return validate_body(await read_json(request, optional=optional), model)


def validate_body(plain: Any, model: type[B]) -> B:
    """Validate a client's value against the model.

    Raises:
        BadInput: if it is not what the model asks for.
    """
    try:
        return model.model_validate(plain)
    except ValidationError as e:
        raise BadInput(_first_fault(e)) from None


def takes(
    model: type[BaseModel], example: dict[str, Any], *, optional: bool = False
) -> dict[str, Any]:
    """Return the OpenAPI request body of a route that reads its body by itself."""
    content = {"schema": {"$ref": REF.format(model=model.__name__)}, "example": example}
    return {
        "requestBody": {"required": not optional, "content": {"application/json": content}},
    }


def _first_fault(error: ValidationError) -> str:
    """The first thing wrong, and where; the value itself is not repeated."""
    errors = error.errors(include_url=False, include_input=False)
    if not errors[0]["loc"]:
        return "the body is not a JSON object; send one"
    more = "; leave it out" if errors[0]["type"] == "extra_forbidden" else ""
    return faults(errors)[0] + more
