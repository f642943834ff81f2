"""Workers of this release go on with what those of the last one began: their histories replay.

The files in fixtures/histories were kept by a run of this file with DISSENT_HISTORIES=1, which
keeps those that are not there. A release that has to change them cannot take over what is under
way: keep the old ones while they replay, and say so in the runbook's words if they do not.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.cluster import an_experiment
from fakes.databases import a_database
from fakes.patience import not_for_ever
from fakes.stopping import Gated
from fakes.temporal import a_site
from mutual_dissent.experiments.run.registry import rows

KEPT = Path(__file__).parents[1] / "fixtures" / "histories"
FILES = sorted(KEPT.glob("*.json"))
INSTEAD = {"identity": "worker", "stackTrace": "left out"}
"""What stands in the place of names and folders of the machine that kept a history."""


def test_there_are_histories_of_debates_and_experiments():
    of_debates = {"debate", "taken-over", "debate-cancelled"}
    of_experiments = {"experiment", "paused-and-resumed", "experiment-cancelled"}
    assert {f.stem for f in FILES} == of_debates | of_experiments


@pytest.mark.parametrize("kind", ["debate", "experiment"])
def test_a_history_that_ends_with_a_cancel_tells_of_it(kind):
    history = json.loads((KEPT / f"{kind}-cancelled.json").read_text("utf-8"))
    kinds = [event["eventType"] for event in history["events"]]
    assert "EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED" in kinds
    assert kinds[-1] == "EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED"


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_history_names_no_machine_and_no_folder(file):
    text = file.read_text("utf-8")
    assert set(re.findall(r'"(?:identity|stackTrace)": "([^"]*)"', text)) <= {*INSTEAD.values()}
    assert not re.search(r"/(?:site-packages|src|home|root|work)/", text)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
async def test_what_an_earlier_release_began_is_gone_on_with(file):
    pytest.importorskip("temporalio")
    await replayed(file.read_text("utf-8"))


async def replayed(text):
    from temporalio.client import WorkflowHistory
    from temporalio.worker import Replayer, UnsandboxedWorkflowRunner

    from mutual_dissent.hosting.temporal.debate import DebateFlow
    from mutual_dissent.hosting.temporal.experiment import ExperimentFlow

    flows = [DebateFlow, ExperimentFlow]
    worker = Replayer(workflows=flows, workflow_runner=UnsandboxedWorkflowRunner())
    await worker.replay_workflow(WorkflowHistory.from_json("kept", text))


async def test_a_history_that_this_release_would_not_have_made_is_found_out():
    workflow = pytest.importorskip("temporalio.workflow")
    history = json.loads((KEPT / "debate.json").read_text("utf-8"))
    for event in history["events"]:
        if found := event.get("activityTaskScheduledEventAttributes"):
            found["activityType"]["name"] = "another"
    with pytest.raises(workflow.NondeterminismError):
        await replayed(json.dumps(history))


if "DISSENT_HISTORIES" in os.environ:

    @pytest.mark.postgres
    @pytest.mark.temporal
    async def test_keeping_histories(tmp_path):
        """Hold experiments as users do, and keep what Temporal knows of them."""
        async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
            first, engine = await site.worker(grace=30), await site.engine()
            cast = Gated(first.md.provider)
            await site.begun(an_experiment(repeats=1))
            while cast.waiting < 8:
                await asyncio.sleep(0.01)
            first.leave()
            cast.gate.set()
            second = await site.worker()
            await site.ended(an_experiment(repeats=1))
            await kept(engine, next(iter(rows(site.md, "sums"))).transcript_id, "taken-over")
            await kept(engine, engine._id("sums"), "experiment")
            again = await told(site, second, "more", engine.pause)
            while (found := await engine.tally("more")) is None or found.running:
                await asyncio.sleep(0.05)
            await engine.resume("more")
            await site.ended(again)
            await kept(engine, list(rows(site.md, "more"))[-1].transcript_id, "debate")
            await kept(engine, engine._id("more"), "paused-and-resumed")
            await site.ended(await told(site, second, "gone", engine.cancel))
            await kept(engine, next(iter(rows(site.md, "gone"))).transcript_id, "debate-cancelled")
            await kept(engine, engine._id("gone"), "experiment-cancelled")


async def told(site, worker, name, order):
    """An experiment that is given an order while its first calls are in flight."""
    found = an_experiment(repeats=2)
    found = replace(found, name=name, text=found.text.replace('"sums"', f'"{name}"'))
    cast = Gated(worker.md.provider)
    await site.begun(found)
    while cast.waiting < 8:
        await asyncio.sleep(0.01)
    await order(name)
    await asyncio.sleep(3)  # until all have been told; this is no test
    cast.gate.set()
    return found


async def kept(engine, name, stem):
    """Keep a history, without the names of machines; those of earlier releases stay."""
    if (file := KEPT / f"{stem}.json").exists():
        return
    history = json.loads((await engine.client.get_workflow_handle(name).fetch_history()).to_json())
    text = json.dumps(_without_names(history), indent=1) + "\n"
    text = re.sub(re.escape(socket.gethostname()) + r"-\d+-\w{4}", "worker", text)
    KEPT.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")


def _without_names(thing):
    if isinstance(thing, dict):
        return {k: INSTEAD.get(k) or _without_names(v) for k, v in thing.items()}
    return [_without_names(v) for v in thing] if isinstance(thing, list) else thing
