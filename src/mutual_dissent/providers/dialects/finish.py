"""The end of an answer: the vendors' words for it, and the verdict on what was read."""

from __future__ import annotations

from mutual_dissent.core.response import Finish
from mutual_dissent.providers.dialects.base import PartialAnswer

# OpenAI's (of both wires), Anthropic's and Google's words, and those of compatible vendors:
# Mistral (`model_length`), DeepSeek (`insufficient_system_resource`), Zhipu (`sensitive`).
REASONS: dict[str, Finish] = {
    **dict.fromkeys(
        (
            "stop", "end_turn", "stop_sequence", "eos", "tool_calls", "tool_use", "function_call",
            "completed",
        ),
        Finish.COMPLETE,
    ),
    **dict.fromkeys(
        (
            "length", "max_tokens", "max_output_tokens", "model_length",
            "model_context_window_exceeded", "continuation",
        ),
        Finish.TRUNCATED,
    ),
    **dict.fromkeys(
        (
            "content_filter", "safety", "recitation", "language", "other", "blocklist",
            "prohibited_content", "spii", "image_safety", "image_prohibited_content", "sensitive",
            "blocked_reason_unspecified", "model_armor", "jailbreak",
        ),
        Finish.FILTERED,
    ),
    "refusal": Finish.REFUSED,
    **dict.fromkeys(
        (
            # `pause_turn`: Anthropic's own search wants another request, which is not made.
            "pause_turn", "error", "network_error", "abort", "insufficient_system_resource",
            "malformed_function_call", "malformed_response", "unexpected_tool_call",
            "too_many_tool_calls", "incomplete", "failed", "cancelled",
        ),
        Finish.INCOMPLETE,
    ),
}  # fmt: skip
UNSAID = ("", "finish_reason_unspecified", "null")


def note_finish(reading: PartialAnswer, reason: object) -> None:
    """Take in a vendor's finish reason; anything that is not a word leaves the reading open.

    An unknown reason still says that the answer has ended.
    """
    if type(reason) is str and (word := reason.lower()) not in UNSAID:
        reading.finish = REASONS.get(word, Finish.COMPLETE)
        reading.finish_reason = reason[:80]


def verdict(reading: PartialAnswer, *, tools_wanted: bool = False) -> Finish:
    """Return what the answer is worth, once nothing more will come.

    Args:
        reading: the whole answer as read.
        tools_wanted: whether tool calls without text are an answer, too.
    """
    # A vendor that sends blanks until its limit has not answered.
    blank = not any(piece.strip() for piece in reading.text)
    if reading.error:
        return Finish.FAILED if blank else Finish.INCOMPLETE
    if reading.finish is None or reading.finish is Finish.INCOMPLETE:
        return Finish.INCOMPLETE
    if reading.finish in (Finish.REFUSED, Finish.FILTERED):
        return reading.finish
    if reading.refusal:
        return Finish.REFUSED
    if blank and not (tools_wanted and reading.tool_calls):
        return Finish.EMPTY
    return reading.finish
