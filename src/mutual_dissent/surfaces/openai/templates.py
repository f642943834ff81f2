"""Templates of chat clients: their chores, and their questions about documents.

A template of Open WebUI or LibreChat is recognized by its exact first words; a question that only
resembles one is debated.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chore:
    """A client's own request (a title, tags), which is not worth a debate.

    Attributes:
        beginning: the first words of its template.
        verbatim: whether the client shows the whole reply, so that no line may be added.
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
    # "am" is the template's own slip; later versions have it right.
    Chore(TASK + "Generate a detailed prompt for am image generation task"),
    Chore(TASK + "Generate a detailed prompt for an image generation task"),
    Chore("Your task is to reflect the speaker's likely facial expression", verbatim=True),
    Chore("Provide a concise, 5-word-or-less title for the conversation", verbatim=True),
    Chore("Please generate a concise title (max 40 characters) for a conversation", verbatim=True),
    Chore("Analyze this conversation and provide:\n1. The detected language of the conversation\n"),
)
"""Open WebUI's, then LibreChat's."""

# A user's question, although it begins as chores do: it is worth a debate.
_DOCUMENTS = TASK + "Respond to the user query using the provided context"


def chore_of(query: str) -> Chore | None:
    """Return the chore that a message is; None for a question."""
    begun = query.lstrip().replace("\r\n", "\n")
    return next((c for c in CHORES if begun.startswith(c.beginning)), None)


@dataclass(frozen=True, slots=True)
class AboutDocuments:
    """A question with documents, and the client's instructions for their use."""

    instructions: str
    documents: str
    query: str


def about_documents(text: str) -> AboutDocuments | None:
    """Split a question that Open WebUI prefixed with documents; None for any other."""
    if not text.lstrip().startswith(_DOCUMENTS):
        return None
    before, _, rest = text.partition("<context>\n")
    # The last one: a document may contain the tag.
    documents, _, query = rest.rpartition("\n</context>")
    if not documents or not query.strip():
        return None
    return AboutDocuments(before.strip(), documents, query.strip())
