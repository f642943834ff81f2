"""Templates of chat clients: their chores, and their questions about documents.

They are known by how the templates of Open WebUI and LibreChat begin, word for word: a question
that only looks like one is debated.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chore:
    """Something that a client asks on its own account, which is not worth a debate.

    Attributes:
        beginning: how its template begins.
        verbatim: whether the client shows the whole reply, so that nothing may be added to it.
    """

    beginning: str
    verbatim: bool = False


TASK = "### Task:\n"
CHORES = (
    Chore(TASK + "Generate a concise, 3-5 word title"),
    Chore(TASK + "Create a concise, 3-5 word title"),
    Chore(TASK + "Generate 1-3 broad tags"),
    Chore(TASK + "Suggest 3-5 relevant follow-up questions"),
    Chore(
        TASK + "Analyze the chat history to determine the necessity of generating search queries"
    ),
    Chore(TASK + "You are an autocompletion system."),
    Chore(TASK + "Generate a detailed prompt for am image generation task"),
    Chore(TASK + "Generate a detailed prompt for an image generation task"),
    Chore("Your task is to reflect the speaker's likely facial expression", verbatim=True),
    Chore("Provide a concise, 5-word-or-less title for the conversation", verbatim=True),
    Chore("Please generate a concise title (max 40 characters) for a conversation", verbatim=True),
    Chore("Analyze this conversation and provide:\n1. The detected language of the conversation\n"),
)
"""Open WebUI's, then LibreChat's."""

_DOCUMENTS = TASK + "Respond to the user query using the provided context"


def chore_of(query: str) -> Chore | None:
    """The chore that a message is, if it is one."""
    begun = query.lstrip().replace("\r\n", "\n")
    return next((c for c in CHORES if begun.startswith(c.beginning)), None)


@dataclass(frozen=True, slots=True)
class AboutDocuments:
    """A question that came with documents, and how the client wants them to be used."""

    instructions: str
    documents: str
    query: str


def about_documents(text: str) -> AboutDocuments | None:
    """The parts of a question that Open WebUI has put its documents before, if it is one."""
    if not text.lstrip().startswith(_DOCUMENTS):
        return None
    before, _, rest = text.partition("<context>\n")
    documents, _, query = rest.rpartition("\n</context>")
    if not documents or not query.strip():
        return None
    return AboutDocuments(before.strip(), documents, query.strip())
