"""The stored OpenAPI document is what the code makes, whole and with examples."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "docs" / "openapi.json"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("openapi", ROOT / "scripts" / "openapi.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def document():
    return json.loads(STORED.read_text("utf-8"))


def operations(document):
    return [(f"{m.upper()} {p}", o) for p, ops in document["paths"].items() for m, o in ops.items()]


def test_the_stored_document_is_what_the_code_makes(script):
    assert script.openapi() == STORED.read_bytes(), "run: make docs"


def test_every_operation_has_a_name_a_summary_a_tag_and_errors_in_the_one_shape(document):
    names = [o["operationId"] for _, o in operations(document)]
    assert len(names) == len(set(names))
    for name, operation in operations(document):
        assert operation["summary"], name
        assert operation["description"], name
        assert operation["tags"][0] in {t["name"] for t in document["tags"]}, name
        shown = operation["responses"]["4XX"]["content"]["application/json"]["schema"]
        assert shown == {"$ref": "#/components/schemas/Error"}, name


def test_every_body_has_an_example_that_its_schema_takes(document):
    checked = 0
    for name, operation in operations(document):
        if "requestBody" not in operation:
            continue
        content = operation["requestBody"]["content"]["application/json"]
        schema = {**content["schema"], "components": document["components"]}
        Draft202012Validator(schema).validate(content["example"])
        checked += 1
        assert content["example"], name
    assert checked >= 8


def test_every_link_leads_to_an_operation(document):
    names = {o["operationId"] for _, o in operations(document)}
    links = document["paths"]["/api/chat"]["post"]["responses"]["202"]["links"]
    assert {link["operationId"] for link in links.values()} <= names


@pytest.mark.parametrize("name", ["Session", "Error"])
def test_what_is_answered_most_has_an_example_that_its_schema_takes(document, name):
    schema = document["components"]["schemas"][name]
    whole = {**schema, "components": document["components"]}
    Draft202012Validator(whole).validate(schema["example"])


TRANSCRIPT = ("StoredTranscript", "StoredRound", "KeyedResponse")
"""What is in the format of transcripts, with all that it consists of."""


def consists_of(document, names):
    """The schemas of these names, and those that they refer to."""
    schemas, found = document["components"]["schemas"], set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += re.findall(r"#/components/schemas/([\w.-]+)", json.dumps(schemas[name]))
    return found


def properties(schema):
    """The names of all fields in a schema, at any depth."""
    if isinstance(schema, list):
        return {name for part in schema for name in properties(part)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return own.union(*(properties(part) for part in schema.values()))


def test_every_field_but_those_of_the_transcript_format_is_in_camel_case(document):
    schemas = document["components"]["schemas"]
    stored = consists_of(document, TRANSCRIPT)
    assert len(schemas) - len(stored) > 40
    for name in set(schemas) - stored:
        odd = {p for p in properties(schemas[name]) if not re.fullmatch("[a-z]+[a-zA-Z0-9]*", p)}
        assert not odd, f"{name} has {sorted(odd)}"


def test_the_fields_of_the_transcript_format_are_in_snake_case(document):
    for name in consists_of(document, TRANSCRIPT):
        found = properties(document["components"]["schemas"][name])
        assert not {p for p in found if p != p.lower()}, name
