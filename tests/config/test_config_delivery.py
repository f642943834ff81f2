"""The settings of [telemetry] and [webhook]: own addresses, wrapped secrets, no page sets them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mutual_dissent.config.paths import Home
from mutual_dissent.config.protection import is_guarded
from mutual_dissent.config.provenance import in_force
from mutual_dissent.config.schema import SCHEMA
from mutual_dissent.config.settings import load_settings
from mutual_dissent.config.values import headers_of
from mutual_dissent.core.errors import BadConfig

CANARY = "canary-7f3a9b2c5d-e61b"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "observability.md"
BOTH = f"""
[telemetry]
endpoint = "http://127.0.0.1:4318/"
headers = "x-key={CANARY}"
[webhook]
url = "https://hooks.example.org/{CANARY}?a=b"
secret = "{CANARY}"
"""


@pytest.fixture
def written(tmp_path):
    """Settings from the text of a file and the variables given."""

    def settings(text="", **env):
        home = Home(tmp_path / "md")
        home.ensure()
        home.config.write_text(text)
        home.config.chmod(0o600)
        return load_settings(env, home)

    return settings


def test_nobody_is_told_without_an_address_whatever_other_programs_are_told(written):
    others = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318",
        "OTEL_EXPORTER_OTLP_HEADERS": "a=b",
    }
    settings = written(**others)
    assert (settings.telemetry.endpoint, settings.telemetry.headers) == (None, None)
    assert settings.webhook.url is None


def test_secrets_are_in_no_snapshot_and_no_repr_and_the_environment_goes_before_them(written):
    settings = written(BOTH)
    listed = {line.name: line for line in in_force(settings, {})}
    assert CANARY not in json.dumps(settings.snapshot()) + repr(settings) + repr(listed)
    assert settings.telemetry.endpoint == "http://127.0.0.1:4318"
    assert listed["webhook.secret"].value == "…e61b"
    assert listed["webhook.url"].source == "webhook.url in config.toml"
    env = {
        "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20x, b = c d",
        "MUTUAL_DISSENT_WEBHOOK_SECRET": "another-secret-1",
    }
    told = written(BOTH, **env)
    assert headers_of(told.telemetry.headers.reveal()) == {"Authorization": "Bearer x", "b": "c d"}
    assert told.webhook.secret.reveal() == "another-secret-1"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[telemetry]\nendpoint = "http://collector.example.org"', "must be https"),
        ('[telemetry]\nendpoint = "http://u:p@127.0.0.1"', "without user"),
        (f'[telemetry]\nheaders = "{CANARY}"', "NAME=VALUE"),
        (f'[telemetry]\nheaders = "a={CANARY}%0d%0ab: c"', "NAME=VALUE"),
        ('[webhook]\nurl = "http://8.8.8.8/x"', "must be https"),
        ('[webhook]\nurl = "ftp://127.0.0.1/x"', "http:// or https://"),
        ('[webhook]\nurl = "https://a.example/x#y"', "http:// or https://"),
        ('[webhook]\nsecret = "short"', "16 or more"),
        (f'[webhook]\nsecret = "whsec_{CANARY}!"', "base64"),
    ],
)
def test_what_cannot_be_used_is_refused_and_no_secret_repeated(written, text, sentence):
    with pytest.raises(BadConfig, match=re.escape(sentence)) as refused:
        written(text)
    assert CANARY not in str(refused.value)


def test_a_secret_in_the_environment_that_cannot_be_used_is_not_repeated(written):
    with pytest.raises(BadConfig, match="MUTUAL_DISSENT_WEBHOOK_SECRET") as refused:
        written(MUTUAL_DISSENT_WEBHOOK_SECRET="short")
    assert "short" not in str(refused.value)


def test_no_page_can_change_who_is_told():
    ours = [s.name for s in SCHEMA if s.path[0] in ("telemetry", "webhook")]
    assert len(ours) == 7
    assert all(map(is_guarded, ours))


def test_the_examples_of_the_page_are_configurations(written):
    examples = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    settings = written("".join(examples))
    assert settings.telemetry.endpoint
    assert settings.webhook.url
