"""The settings page in a real browser: what is changed there holds, and secrets stay secret."""

from __future__ import annotations

import tomllib

import httpx
import pytest

from fakes.axe import faults
from fakes.browser import PHONE, serving, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SECRET = "sk-or-v1-canary-that-nobody-may-see-9876"


def written(site) -> dict:
    return tomllib.loads((site.home / "config.toml").read_text())


async def opened(site, tabs, tab_name, **how):
    tab = await tabs.open(site, f"/settings?tab={tab_name}", **how)
    await tab.get_by_role("heading", name="Settings").wait_for()
    return tab


async def test_a_changed_default_is_in_the_file_with_its_comments_kept(site, tabs):
    config = site.home / "config.toml"
    config.write_text("# mine, keep this\n" + config.read_text())
    tab = await opened(site, tabs, "defaults")
    field = tab.get_by_label("defaults.max_cost")
    await field.fill("2.5")
    await field.press("Enter")
    await tab.get_by_text("from config.toml").first.wait_for()
    assert written(site)["defaults"]["max_cost"] == 2.5
    assert "# mine, keep this" in config.read_text()
    await field.fill("")
    await field.press("Enter")
    await until(tab, "() => !document.body.innerText.includes('from config.toml')")
    assert "max_cost" not in written(site).get("defaults", {})


async def test_a_bad_value_says_so_beside_its_field_and_changes_nothing(site, tabs):
    tabs.expected.append("422")
    before = (site.home / "config.toml").read_text()
    tab = await opened(site, tabs, "defaults")
    field = tab.get_by_label("defaults.quorum")
    await field.fill("many")
    await field.press("Enter")
    await tab.get_by_role("alert").get_by_text("whole number").wait_for()
    assert await field.get_attribute("aria-invalid") == "true"
    assert (site.home / "config.toml").read_text() == before


async def test_the_default_panel_is_what_the_next_debate_has(site, tabs):
    tab = await opened(site, tabs, "defaults")
    field = tab.get_by_label("defaults.panel")
    await field.fill("claude, gpt")
    await field.press("Enter")
    await tab.get_by_text("from config.toml").first.wait_for()
    async with httpx.AsyncClient() as client:
        found = await client.get(f"{site.url}/api/agents")
        assert found.json()["defaultPanel"] == ["claude", "gpt"]
    await field.fill("")
    await field.press("Enter")
    await until(tab, "() => !document.body.innerText.includes('from config.toml')")


def key_row(tab, vendor: str):
    return tab.locator(".setting", has=tab.get_by_label(vendor, exact=True))


async def test_a_key_is_tried_kept_and_never_shown_beyond_its_end(site, tabs):
    site.vendor.fake.always(text="OK")
    tab = await opened(site, tabs, "keys")
    row = key_row(tab, "openrouter")
    await row.get_by_label("openrouter", exact=True).fill(SECRET)
    await row.get_by_role("button", name="Keep", exact=True).click()
    await row.get_by_text("answers: “OK”").wait_for()
    await row.get_by_text("ends in").get_by_text("9876").wait_for()
    assert len(site.vendor.arrivals) == 1
    assert SECRET not in await tab.content()
    answer = await tab.evaluate("fetch('/ui/settings').then((r) => r.text())")
    assert SECRET not in answer
    assert (site.home / "config.toml").stat().st_mode & 0o077 == 0
    await row.get_by_role("button", name="Remove the key for openrouter").click()
    await row.get_by_text("not set").wait_for()
    assert SECRET not in (site.home / "config.toml").read_text()


async def test_a_key_that_does_not_work_is_kept_on_a_second_click_only(site, tabs):
    tabs.expected.append("422")
    site.vendor.fake.always("401")
    tab = await opened(site, tabs, "keys")
    row = key_row(tab, "openrouter")
    await row.get_by_label("openrouter", exact=True).fill(SECRET)
    await row.get_by_role("button", name="Keep", exact=True).click()
    await row.get_by_role("alert").get_by_text("did not answer with this key").wait_for()
    assert SECRET not in (site.home / "config.toml").read_text()
    await row.get_by_label("openrouter", exact=True).fill(SECRET + "x")
    assert await row.get_by_role("button", name="Keep it anyway").count() == 0, "another key"
    await row.get_by_role("button", name="Keep", exact=True).click()
    await row.get_by_role("button", name="Keep it anyway").click()
    await row.get_by_text("kept without an answer").wait_for()
    assert SECRET + "x" in (site.home / "config.toml").read_text()
    await row.get_by_role("button", name="Remove the key for openrouter").click()
    await row.get_by_text("not set").wait_for()


async def test_a_key_can_be_tested(site, tabs):
    tab = await opened(site, tabs, "keys")
    row = tab.locator(".setting", has_text="anthropic")
    await row.get_by_role("button", name="Test").click()
    await row.get_by_text("claude answers").wait_for()


async def test_a_persona_is_written_and_taken_back(site, tabs):
    tab = await opened(site, tabs, "personas")
    await tab.get_by_label("New persona").fill("miser")
    await tab.get_by_role("button", name="Add").click()
    await tab.get_by_label("Instructions").fill("Count every penny.")
    await tab.get_by_role("dialog").get_by_role("button", name="Keep").click()
    await tab.get_by_text("Count every penny.").wait_for()
    assert written(site)["personas"]["miser"]["instructions"] == "Count every penny."


async def test_a_preset_is_a_model_for_other_clients_at_once(site, tabs):
    tab = await opened(site, tabs, "presets")
    await tab.get_by_label("New preset").fill("mine")
    await tab.get_by_role("button", name="Add").click()
    mode = tab.get_by_label("presets.mine.mode")
    await mode.fill("delphi")
    await mode.press("Enter")
    await tab.get_by_text("mode: delphi").first.wait_for()
    async with httpx.AsyncClient() as client:
        models = (await client.get(f"{site.url}/v1/models")).json()["data"]
    assert "dissent/mine" in {m["id"] for m in models}


async def test_a_prompt_is_previewed_rewritten_and_taken_back(site, tabs):
    tabs.expected.append("422")
    tab = await opened(site, tabs, "prompts")
    await tab.get_by_role("button", name="reflection/reflect", exact=True).click()
    text = tab.get_by_label("Text of the prompt")
    ours = await text.input_value()
    assert "bridge or keep the ferry" in await tab.locator("pre.wrap").inner_text() or "{" in ours
    await text.fill("Nothing of what it needs.")
    await tab.get_by_role("button", name="Keep").click()
    await tab.get_by_role("alert").get_by_text("other_responses").wait_for()
    await text.fill("Dear colleague.\n" + ours)
    await tab.get_by_role("button", name="Keep").click()
    await tab.get_by_text("yours").first.wait_for()
    file = site.home / "prompts" / "reflection" / "reflect.md"
    assert file.read_text().startswith("Dear colleague.")
    await tab.get_by_role("button", name="Back to ours").click()
    await until(tab, "() => !document.body.innerText.includes('yours')")
    assert not file.exists()


@pytest.fixture
def own_site(tmp_path):
    """A server of its own: where there was a token once, programs need one for ever."""
    with serving(tmp_path / "home", None) as found:
        yield found


async def test_a_token_is_shown_once_and_does_not_open_the_settings(own_site, tabs):
    site, tab = own_site, await opened(own_site, tabs, "tokens")
    await tab.get_by_label("Name of the token").fill("ide")
    await tab.get_by_label("Budget in dollars").fill("5,00")
    await tab.get_by_role("button", name="Make a token").click()
    await tab.get_by_text("is no budget").wait_for()
    assert await tab.get_by_text("No token yet.").is_visible()
    await tab.get_by_label("Budget in dollars").fill("5")
    await tab.get_by_role("button", name="Make a token").click()
    await tab.get_by_role("cell", name="$5.00").wait_for()
    word = await tab.locator(".banner code").inner_text()
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {word}"}) as client:
        assert (await client.get(f"{site.url}/api/modes")).status_code == 200
        for path in ("", "/prompts", "/tokens"):
            assert (await client.get(f"{site.url}/ui/settings{path}")).status_code == 403
    await tab.reload()
    await tab.get_by_role("cell", name="ide", exact=True).wait_for()
    assert word not in await tab.content()
    await tab.get_by_role("button", name="Revoke ide").click()
    await tab.get_by_text("No token yet.").wait_for()


@pytest.mark.parametrize("tab_name", ["keys", "models", "defaults", "prompts"])
async def test_nothing_is_wider_than_a_phone(site, tabs, tab_name):
    tab = await opened(site, tabs, tab_name, viewport=PHONE)
    wide = await tab.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


@pytest.mark.outside
@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(
    "tab_name", ["keys", "models", "defaults", "personas", "prompts", "tokens"]
)
async def test_people_who_do_not_see_or_use_a_mouse_are_not_shut_out(site, tabs, tab_name, theme):
    tabs.expected.append("Applying inline style")  # by the checker itself, which the policy refuses
    tab = await opened(site, tabs, tab_name, color_scheme=theme)
    assert await faults(tab) == []
