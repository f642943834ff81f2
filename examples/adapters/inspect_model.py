"""The panel as a model of Inspect, to be evaluated: `pip install mutual-dissent inspect_ai`."""

from __future__ import annotations

import sys
from typing import Any

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import includes

from mutual_dissent import MutualDissent
from mutual_dissent.core.brief import Earlier

SPEAKERS = {"system": "instructions", "user": "user", "assistant": "assistant"}


@modelapi(name="dissent")
class PanelAPI(ModelAPI):
    """Each generation is a debate; what stands after `dissent/` is a preset, or `default`."""

    async def generate(self, input: list[ChatMessage], **_: Any) -> ModelOutput:  # noqa: A002
        """Hold the debate, and return its answer."""
        *before, last = input
        told = [Earlier(speaker=SPEAKERS[m.role], text=m.text) for m in before]
        options = {} if self.model_name == "default" else {"preset": self.model_name}
        async with MutualDissent() as md:
            t = await md.debate(last.text, earlier=told, **options)
        if t.synthesis is None:
            raise ValueError(t.heading)
        output = ModelOutput.from_content(self.model_name, t.synthesis.content)
        output.metadata = {"heading": t.heading, "transcript_id": t.transcript_id}
        return output


if __name__ == "__main__":
    task = Task([Sample(input=sys.argv[1], target=sys.argv[2])], scorer=includes())
    model, place = get_model("dissent/default"), sys.argv[3]
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=place)
    print(log.status, log.results.scores[0].metrics["accuracy"].value)
