"""A bad configuration is one line: where, which key, what is accepted. Nothing is half applied."""

import os

import pytest

from mutual_dissent.config.paths import Home
from mutual_dissent.config.settings import load_settings
from mutual_dissent.core.errors import BadConfig

LONG = '[personas.p]\ninstructions = """\n[defaults]\nrounds = 1\n"""\n[defaults]\nrounds = 11'
# file -> line, key, a word that the sentence must have
BAD = [
    ("rounds = ", 1, "not TOML", "value"),
    ("[defaults\nrounds = 1", 1, "not TOML", "Expected"),
    ("a = 'open", 1, "not TOML", ""),
    ("[defaults]\nrounds = 1\n[defaults]\nquorum = 2", 3, "not TOML", "twice"),
    ("[defaults]\nrounds = 1\nrounds = 2", 3, "not TOML", "overwrite"),
    ("[defaults]\nrounds = 1e9", 2, "defaults.rounds", "1 to 10"),
    ("[defaults]\nrounds = 1000000000", 2, "defaults.rounds", "1 to 10"),
    ("[defaults]\nrounds = 0", 2, "defaults.rounds", "1 to 10"),
    ("[defaults]\nrounds = -1", 2, "defaults.rounds", "1 to 10"),
    ("[defaults]\nrounds = true", 2, "defaults.rounds", "1 to 10"),
    ('[defaults]\nrounds = "many"', 2, "defaults.rounds", "auto"),
    ("\n\n[defaults]\n# note\nronds = 1", 5, "defaults.ronds", "did you mean 'rounds'"),
    ("[defalts]\nrounds = 1", 1, "defalts", "did you mean 'defaults'"),
    ("zzz = 1", 1, "zzz", "known: api_key"),
    ("defaults = 3", 1, "defaults", "table"),
    ("[defaults]\npanel = 'claude'", 2, "defaults.panel", "a list"),
    ("[defaults]\npanel = []", 2, "defaults.panel", "1 to 16"),
    ("[defaults]\npanel = [1, 2]", 2, "defaults.panel", "a list"),
    (f"[defaults]\npanel = {['m'] * 17}", 2, "defaults.panel", "1 to 16"),
    ("[defaults]\nquorum = 0", 2, "defaults.quorum", "1 to 16"),
    ("[defaults]\ntimeout = -5", 2, "defaults.timeout", "above 0"),
    ("[defaults]\ncall_timeout = 0", 2, "defaults.call_timeout", "above 0"),
    ("[defaults]\ncall_timeout = inf", 2, "defaults.call_timeout", "number"),
    ("[defaults]\nmax_cost = nan", 2, "defaults.max_cost", "number"),
    ("[defaults]\nmax_cost = '1'", 2, "defaults.max_cost", "number"),
    ("[defaults]\nnamed = 'yes'", 2, "defaults.named", "true or false"),
    ("[defaults]\nsave = 1", 2, "defaults.save", "true or false"),
    ("[defaults]\nsynthesizer = ''", 2, "defaults.synthesizer", "alias"),
    ("[defaults]\nrounds = { a = 1 }", 2, "defaults.rounds", "1 to 10"),
    ("[[defaults]]\nrounds = 1", 1, "defaults", "table"),
    ("defaults.rounds = 99", 1, "defaults.rounds", "1 to 10"),
    ("defaults = { rounds = 99 }", 1, "defaults.rounds", "1 to 10"),
    ("api_key = 5", 1, "api_key", "a key"),
    ("api_key = 'two words'", 1, "api_key", "a key"),
    ("api_key = 'schlüssel'", 1, "api_key", "a key"),
    ("[providers]\nopenai_key = 'x'", 2, "providers.openai_key", "did you mean 'openai_api_key'"),
    ("[providers]\nopenai_base_url = 'ftp://x.example'", 2, "openai_base_url", "http"),
    ("[providers]\nopenai_base_url = 'https://u:p@x.example'", 2, "openai_base_url", "user"),
    ("[providers]\nopenai_base_url = 'https://x.example?a=1'", 2, "openai_base_url", "query"),
    ("[providers]\nopenai_base_url = 'https://'", 2, "openai_base_url", "http"),
    ("[providers]\nopenai_base_url = 'https://x.example:99999'", 2, "openai_base_url", "http"),
    ("[providers]\nopenai = 'k'\nopenai_base_url = 'http://x.example/v1'", 3, "base_url", "https"),
    ("[providers]\nopenai = 'k'\nopenai_base_url = 'http://8.8.8.8/v1'", 3, "base_url", "https"),
    ("[providers]\nopenai = 'k'\nopenai_base_url = 'http://134744072/v1'", 3, "base_url", "https"),
    ("[routing]\ndefault_mode = 'fast'", 2, "routing.default_mode", '"auto", "direct"'),
    ("[routing]\nclade = 'auto'", 2, "routing.clade", "did you mean 'claude'"),
    ("[model_aliases]\nnew.direct = 'm'", 2, "model_aliases.new", "vendor"),
    ("[model_aliases]\nnew.vendor = 'openai'", 2, "model_aliases.new", "id of a model"),
    ("[model_aliases.n]\ndirect = 'm'\nvendor = 'opnai'", 3, "model_aliases.n.vendor", "'openai'"),
    ("[model_aliases]\n'a b' = 'm'", 2, "a b", "letters"),
    ("[model_aliases]\n'x:y' = 'm'", 2, "x:y", "letters"),
    ("[endpoints.lab]\nkey_env = 'K'", 1, "endpoints.lab", "base_url"),
    ("[endpoints.openai]\nbase_url = 'https://x.example'", 1, "endpoints.openai", "another name"),
    ("[endpoints.l]\nbase_url = 'https://x.example'\ndialect = 'soap'", 3, "dialect", "google"),
    ("[limits.opnai]\nconcurrency = 1", 1, "limits.opnai", "did you mean 'openai'"),
    ("[limits.openai]\nconcurrency = 0", 2, "limits.openai.concurrency", "1 to"),
    ("[limits.openai]\nper_minute = 1.5", 2, "limits.openai.per_minute", "whole"),
    ("[personas.p]\ninstructions = ''", 2, "personas.p.instructions", "a text"),
    ("[personas.p]\ntext = 'x'", 2, "personas.p.text", "instructions"),
    ("[rubrics.r]\ntone = 5", 2, "rubrics.r.tone", "1 and 5"),
    ("[local]\nthreads = 0", 2, "local.threads", "1 to"),
    ("[local]\ntemperature = 9", 2, "local.temperature", "0 to 2"),
    ("[prices]\nrefresh = 'daily'", 2, "prices.refresh", "true or false"),
    (LONG, 7, "defaults.rounds", "1 to 10"),
    ("a = " + "[" * 20_000, None, "file", "TOML"),
    ("a = " + "9" * 5_000, None, "file", "TOML"),
]  # fmt: skip


def load(tmp_path, raw, mode=0o600, **env):
    home = Home(tmp_path)
    home.config.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    home.config.chmod(mode)
    return load_settings(env, home)


@pytest.mark.parametrize(("text", "line", "key", "word"), BAD)
def test_a_bad_file_gets_one_line_with_its_place_and_what_is_accepted(
    tmp_path, text, line, key, word
):
    with pytest.raises(BadConfig) as caught:
        load(tmp_path, text)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 700
    assert said.startswith(f"{tmp_path / 'config.toml'}" + (f", line {line}:" if line else ":"))
    assert key in said
    assert word in said
    assert caught.value.exit_code == 2


def test_what_is_wrong_with_a_key_is_said_without_repeating_it(tmp_path):
    with pytest.raises(BadConfig) as caught:
        load(tmp_path, 'api_key = "sk-canary 123"')
    assert "canary" not in str(caught.value)
    with pytest.raises(BadConfig) as caught:
        load(tmp_path, "", OPENAI_API_KEY="sk-canary\n123")
    assert "canary" not in str(caught.value)


def test_a_file_that_is_not_utf8_or_far_too_large_is_refused(tmp_path):
    with pytest.raises(BadConfig, match="line 2: file: must be UTF-8"):
        load(tmp_path, b"# fine\n# \xff\n")
    with pytest.raises(BadConfig, match="must not be larger"):
        load(tmp_path, b"#" * 5_000_000)


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_a_file_that_others_may_write_is_refused_with_what_to_do(tmp_path, mode):
    with pytest.raises(BadConfig, match="chmod 600"):
        load(tmp_path, 'api_key = "k"', mode)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")
def test_another_users_file_with_keys_is_refused(tmp_path):
    load(tmp_path, 'api_key = "k"')
    os.chown(tmp_path / "config.toml", 12345, -1)
    with pytest.raises(BadConfig, match="another user"):
        load_settings({}, Home(tmp_path))


def test_a_pipe_or_a_folder_in_place_of_the_file_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "config.toml")
    with pytest.raises(BadConfig, match="regular file"):
        load_settings({}, Home(tmp_path))
    (tmp_path / "config.toml").unlink()
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(BadConfig, match="regular file"):
        load_settings({}, Home(tmp_path))


@pytest.mark.parametrize(
    ("variable", "value", "word"),
    [
        ("OPENAI_API_KEY", "a b", "a key"),
        ("OPENAI_API_KEY", "a\nb", "a key"),
        ("GEMINI_API_KEY", "ключ", "a key"),
        ("OPENAI_BASE_URL", "nonsense", "http"),
        ("OPENAI_BASE_URL", "https://user:secret@host.example", "without user"),
        ("OPENAI_BASE_URL", "https://host.example/ v1", "http"),
        ("OPENAI_BASE_URL", "file:///etc/passwd", "http"),
        ("OPENAI_BASE_URL", "https://host.example:port", "http"),
        ("OLLAMA_HOST", "http://user:secret@host", "without user"),
        ("OLLAMA_HOST", "host:port", "http"),
        ("OLLAMA_HOST", "ftp://host", "http"),
    ],
)
def test_an_odd_environment_is_refused_as_the_file_is(tmp_path, variable, value, word):
    with pytest.raises(BadConfig) as caught:
        load(tmp_path, "", **{variable: value})
    said = str(caught.value)
    assert said.startswith(f"environment: {variable}: must be")
    assert word in said
    assert "secret" not in said


def test_a_key_is_never_sent_in_the_clear_beyond_the_own_network(tmp_path):
    with pytest.raises(BadConfig, match="environment: OPENAI_BASE_URL: must be https"):
        load(tmp_path, "", OPENAI_API_KEY="k", OPENAI_BASE_URL="http://proxy.example.com/v1")
    for near in ("127.0.0.1:1", "localhost:1", "192.168.1.7", "[::1]:1", "proxy", "box.lan"):
        load(tmp_path, "", OPENAI_API_KEY="k", OPENAI_BASE_URL=f"http://{near}/v1")
    load(tmp_path, "", OPENAI_BASE_URL="http://proxy.example.com/v1")
