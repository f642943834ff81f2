"""Where settings come from, and which one wins."""

import json
import subprocess
import sys

import pytest

from mutual_dissent.config.paths import Home
from mutual_dissent.config.schema import SCHEMA
from mutual_dissent.config.settings import Defaults, load_settings
from mutual_dissent.core.errors import BadInput
from mutual_dissent.providers.endpoints import TABLE

SEED_004 = """\
# Legacy
api_key = "sk-or-legacy-0000"

[providers]
openrouter_api_key = "sk-or-file-11111111"
anthropic_api_key = ""

[routing]
default_mode = "auto"
claude = "auto"
gpt = "openrouter"

[model_aliases]
claude.openrouter = "anthropic/claude-sonnet-4-5"
claude.direct = "claude-sonnet-4-5-20250929"
gemini.openrouter = "google/gemini-2.5-pro"

[defaults]
panel = ["claude", "gpt", "gemini", "grok"]
synthesizer = "claude"
rounds = 1
"""


@pytest.fixture
def written(tmp_path):
    """Writes a configuration and loads it."""
    home = Home(tmp_path / "md")

    def load(text, **env):
        home.ensure()
        home.config.write_text(text, encoding="utf-8")
        home.config.chmod(0o600)
        return load_settings(env, home)

    return load


def test_the_file_of_the_design_document_is_read_as_it_stands(written):
    settings = written(SEED_004)
    assert settings.defaults.panel == ("claude", "gpt", "gemini", "grok")
    assert settings.defaults.synthesizer == "claude"
    assert settings.routing["gpt"] == "openrouter"
    assert settings.routing["grok"] == "auto"
    assert settings.aliases["claude"].direct == "claude-sonnet-4-5-20250929"
    assert settings.endpoints()["openrouter"].key.reveal() == "sk-or-file-11111111"
    assert settings.endpoints()["anthropic"].key is None


def test_without_a_file_the_defaults_hold_and_nothing_is_written(tmp_path):
    settings = load_settings({}, Home(tmp_path / "none"))
    assert settings.defaults == Defaults()
    assert not settings.any_key
    assert list(settings.endpoints()) == list(TABLE)
    assert not (tmp_path / "none").exists()


def test_the_documented_default_of_every_setting_is_the_one_in_force(tmp_path):
    snapshot = load_settings({}, Home(tmp_path)).snapshot()
    for setting in SCHEMA:
        table, _, name = setting.name.partition(".")
        whole = table in ("defaults", "desktop", "local", "prices", "server")
        if whole or setting.name == "routing.default_mode":
            assert snapshot[table][name] == setting.default, setting.name
        if table == "providers" and name.endswith("_base_url"):
            vendor = name.removesuffix("_base_url")
            assert snapshot[table][vendor]["base_url"] == setting.default


def test_the_legacy_key_works_alone_and_gives_way_to_the_table(written):
    assert written('api_key = "old"').endpoints()["openrouter"].key.reveal() == "old"
    both = written('api_key = "old"\n[providers]\nopenrouter = "new"')
    assert both.endpoints()["openrouter"].key.reveal() == "new"


@pytest.mark.parametrize("vendor", [v for v, row in TABLE.items() if row.key_env])
def test_the_environments_key_goes_before_the_files(written, vendor):
    text = f'[providers]\n{vendor}_api_key = "from-file"'
    from_file = written(text).endpoints()[vendor].key
    assert from_file.reveal() == "from-file"
    assert f"providers.{vendor}_api_key" in from_file.source
    variable = f"{vendor.upper()}_API_KEY"
    from_env = written(text, **{variable: " from-env\n"}).endpoints()[vendor].key
    assert (from_env.reveal(), from_env.source) == ("from-env", variable)


def test_gemini_api_key_is_a_second_name_for_googles(written):
    assert written("", GEMINI_API_KEY="gem").endpoints()["google"].key.reveal() == "gem"
    both = written("", GEMINI_API_KEY="gem", GOOGLE_API_KEY="goo")
    assert both.endpoints()["google"].key.reveal() == "goo"


@pytest.mark.parametrize("vendor", [v for v in TABLE if v != "ollama"])
def test_a_base_url_comes_from_environment_then_file_then_table(written, vendor):
    text = f'[providers]\n{vendor}_base_url = "https://file.example/v1/"'
    variable = {f"{vendor.upper()}_BASE_URL": "http://127.0.0.1:8080/x"}
    assert written("").endpoints()[vendor].base_url == TABLE[vendor].base_url
    assert written(text).endpoints()[vendor].base_url == "https://file.example/v1"
    assert written(text, **variable).endpoints()[vendor].base_url == "http://127.0.0.1:8080/x"


@pytest.mark.parametrize(
    ("host", "base_url"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("gpu-box", "http://gpu-box:11434/v1"),
        (":5000", "http://127.0.0.1:5000/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:99", "http://127.0.0.1:99/v1"),
        ("[::]:99", "http://127.0.0.1:99/v1"),
        ("[::1]:99", "http://[::1]:99/v1"),
        ("http://box:1/", "http://box:1/v1"),
        ("https://ollama.example.org", "https://ollama.example.org/v1"),
        ("https://ollama.example.org/sub/v1/", "https://ollama.example.org/sub/v1"),
    ],
)
def test_ollama_host_is_understood_as_ollama_understands_it(written, host, base_url):
    assert written("", OLLAMA_HOST=host).endpoints()["ollama"].base_url == base_url


def test_an_endpoint_of_ones_own_has_its_key_and_limits(written):
    text = """
    [endpoints.lab]
    base_url = "https://lab.example/v1"
    key_env = "LAB_KEY"
    api_key = "in-file"
    [limits.lab]
    concurrency = 2
    per_minute = 30
    [endpoints.studio]
    base_url = "http://localhost:1234/v1"
    """
    lab = written(text, LAB_KEY="in-env").endpoints()["lab"]
    assert (lab.key.reveal(), lab.key.source) == ("in-env", "LAB_KEY")
    assert (lab.concurrency, lab.per_minute, lab.needs_key) == (2, 30, True)
    assert written(text).endpoints()["lab"].key.reveal() == "in-file"
    assert written(text).endpoints()["studio"].needs_key is False


def test_an_alias_written_by_the_user_never_leads_to_another_model(written):
    aliases = written('[model_aliases]\ngemini = "google/gemini-9"\nkimi = "moonshotai/k2"').aliases
    assert (aliases["gemini"].openrouter, aliases["gemini"].direct) == ("google/gemini-9", None)
    assert aliases["kimi"].openrouter == "moonshotai/k2"
    assert aliases["claude"].direct


def test_personas_and_rubrics_add_to_ours(written):
    settings = written(
        '[personas.pirate]\ninstructions = "Arr."\n[rubrics.tone]\nwarmth = "1 cold, 5 warm"'
    )
    assert settings.personas["pirate"] == "Arr."
    assert {"analyst", "skeptic", "practitioner"} < set(settings.personas)
    assert settings.rubrics["tone"] == {"warmth": "1 cold, 5 warm"}
    assert "accuracy" in settings.rubrics["standard"]


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    home = Home(tmp_path)
    home.config.write_bytes(b"\xef\xbb\xbf[defaults]\r\nrounds = 3\r\n")
    home.config.chmod(0o600)
    assert load_settings({}, home).defaults.rounds == 3


def test_no_key_is_in_the_snapshot_or_in_any_repr(written):
    canary = "sk-canary-7f3a9b2c5d"
    settings = written(
        f'api_key = "{canary}"\n[providers]\nopenai = "{canary}"\n'
        f'[endpoints.lab]\nbase_url = "https://lab.example"\napi_key = "{canary}"',
        ANTHROPIC_API_KEY=canary,
    )
    shown = json.dumps(settings.snapshot()) + repr(settings) + str(settings.endpoints())
    assert settings.endpoints()["lab"].key.reveal() == canary
    assert canary not in shown
    assert settings.snapshot()["providers"]["anthropic"]["key_from"] == "ANTHROPIC_API_KEY"


def test_keys_that_others_can_read_are_pointed_out(written, tmp_path):
    assert written('api_key = "x"').notices == ()
    config = tmp_path / "md" / "config.toml"
    config.chmod(0o644)
    (notice,) = load_settings({}, Home(tmp_path / "md")).notices
    assert "chmod 600" in notice


def test_every_setting_is_described_and_says_what_it_accepts():
    names = [s.name for s in SCHEMA]
    assert len(names) == len(set(names))
    for setting in SCHEMA:
        assert setting.description.endswith("."), setting.name
        assert setting.accepts.what, setting.name


def test_settings_load_no_heavy_library():
    heavy = {"pydantic", "aiohttp", "rich", "genai_prices", "xllamacpp", "tomlkit", "asyncio"}
    code = (
        "import sys; from mutual_dissent.briefing.default_panel import default_panel;"
        "from mutual_dissent.config.settings import load_settings; load_settings();"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_home_is_where_the_variable_says_else_under_the_users():
    assert str(Home.from_env({"MUTUAL_DISSENT_HOME": "/a/b", "HOME": "/u"}).root) == "/a/b"
    assert str(Home.from_env({"MUTUAL_DISSENT_HOME": "~/c", "HOME": "/u"}).root) == "/u/c"
    home = Home.from_env({"HOME": "/u", "MUTUAL_DISSENT_HOME": ""})
    assert str(home.config) == "/u/.mutual-dissent/config.toml"
    assert str(home.database) == "/u/.mutual-dissent/dissent.db"


def test_without_any_home_the_error_says_what_to_set():
    with pytest.raises(BadInput, match="set HOME or MUTUAL_DISSENT_HOME"):
        Home.from_env({})


def test_folders_are_made_for_their_owner_alone(tmp_path):
    import os

    old = os.umask(0)
    try:
        home = Home(tmp_path / "deep" / "md")
        home.ensure(home.transcripts)
    finally:
        os.umask(old)
    for folder in (home.root, home.transcripts):
        assert folder.stat().st_mode & 0o777 == 0o700
