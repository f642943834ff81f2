"""Prompts: ready requests that have the client's model hold a roundtable."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

CLOSING = (
    "Then tell me the decision and its reason, what the agents agree on, each conflict with who "
    "holds what, and what I should verify. Name the session id. Do not smooth over dissent."
)


def add_prompts(server: MCPServer[Any]) -> None:
    """Give a server its prompts."""
    for title, work in (
        ("Debate a decision", debate_decision),
        ("Review a design", review_design),
        ("Check a claim", check_claim),
        ("Join the debate", join_debate),
    ):
        server.prompt(name=work.__name__, title=title, description=work.__doc__)(work)


def debate_decision(decision: str, mode: str = "", agents: str = "") -> str:
    """Have a panel of models debate a decision before it is made."""
    return _request(
        f"Call start_roundtable with this topic:\n\n{decision}", mode or "devils-advocate", agents
    )


def review_design(design: str, question: str = "") -> str:
    """Have a red and a blue team review a design or plan."""
    topic = question or "What can go wrong with this design, and what should be changed?"
    return _request(
        f"Call start_roundtable with topic {topic!r} and this as context:\n\n{design}",
        "red-team-blue-team",
    )


def check_claim(claim: str) -> str:
    """Have a panel say whether a claim holds, with its sources."""
    return _request(
        f"Call start_roundtable with the topic whether this holds:\n\n{claim}\n\nWhen it has "
        "ended, call get_citations and look at what the sources are worth.",
        "collaborative",
    )


def join_debate(sessionId: str, focus: str = "") -> str:  # noqa: N803 - as clients read it
    """Put your own view before the panel of a finished session, and hear what it says to it."""
    about = f" Let it focus on: {focus}" if focus else ""
    return (
        f"Read session {sessionId} with get_consensus and get_round_details. Form a view of your "
        "own, and give it to the panel with continue_roundtable as hostStatement." + about + "\n\n"
        "Then say who was convinced by what, and whether you have changed your mind. " + CLOSING
    )


def _request(task: str, mode: str, agents: str = "") -> str:
    names = [name.strip() for name in agents.split(",") if name.strip()]
    panel = f" and agents {', '.join(names)}" if names else ""
    return (
        f"{task}\n\nUse mode {mode}{panel}. If its status is still active, call get_consensus "
        f"until it has ended. {CLOSING}"
    )
