"""Folders and repositories as context: the files that matter to the question, if they fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mutual_dissent.briefing.inputs.attachments import (
    DOCUMENTS,
    MAX_BYTES,
    PACKED,
    with_line_feeds,
)
from mutual_dissent.briefing.inputs.file_list import NO_TEXT, FileList, file_list
from mutual_dissent.briefing.inputs.left_out import LeftOut, notices, secret
from mutual_dissent.briefing.inputs.pictures import SUFFIXES
from mutual_dissent.core.brief import NOT_ATTACHED, Attachment
from mutual_dissent.core.errors import BadInput
from mutual_dissent.text.likeness import key_words
from mutual_dissent.text.sanitize import one_line

LOOKED_AT = 32_768
"""Bytes of a file that are compared with the question."""
MOST_WORDS = 40
SHORT = 3
"""Letters up to which a word counts only at the beginning of one: `git` is not in `digit`."""
LOOKED_FOR = 20
IN_NAME = 3.0
"""Weight of a word in a file's name, to one in its text."""
USUAL_BYTES = 4_000
NO_ROOM = "no room for it: others have more to do with the question"
UNRELATED = "it has no word of the question, and not all fit"
TOO_LARGE = "larger than what the panel can read at once"
MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file that may be attached, and how much it has to do with the question."""

    name: str
    size: int
    degree: float

    @property
    def place(self) -> tuple[float, bool, int, str]:
        """Order of files: the most relevant first, then what introduces a folder, then the top."""
        read_me = self.name.rpartition("/")[2].lower().startswith("readme")
        return -self.degree, not read_me, self.name.count("/"), self.name


@dataclass(slots=True)
class FolderFiles:
    """The files of a folder, the most relevant first."""

    name: str
    listed: FileList
    files: list[RankedFile]

    def within(self, room: int) -> AttachedFolder:
        """As many of them as fit into so many characters.

        Where not all fit, those without any word of the question would only cost money.

        Raises:
            BadInput: if there is none.
        """
        taken = AttachedFolder(self.name, left_out=list(self.listed.left_out))
        # A text has no more characters than bytes, so that what fits by its size fits.
        whole, all_fit = min(room, MAX_BYTES), sum(f.size for f in self.files) <= room
        some = all_fit or not any(f.degree for f in self.files)
        for file in self.files:
            if file.size > min(room, whole):
                taken.left_out.append((file.name, NO_ROOM if file.size <= whole else TOO_LARGE))
            elif not (some or file.degree):
                taken.left_out.append((file.name, UNRELATED))
            else:
                room -= self._take(taken, file)
        if not taken.documents:
            why = "; ".join(taken.notices[:2])
            raise BadInput(f"{self.name} has no text that can be attached{f' ({why})' * bool(why)}")
        return taken

    def _take(self, taken: AttachedFolder, file: RankedFile) -> int:
        read = self.listed.beginning(file.name, MAX_BYTES)
        try:
            text = with_line_feeds(read[0].decode("utf-8-sig")) if read else ""
        except UnicodeDecodeError:
            text = ""
        if reason := secret(file.name, text) or ("" if text.strip() else NO_TEXT):
            taken.left_out.append((file.name, reason))
            return 0
        base = "" if self.name == "." else f"{self.name}/"
        taken.documents.append(Attachment(name=one_line(base + file.name, 500), text=text))
        return len(text)


@dataclass(slots=True)
class AttachedFolder:
    """Documents of a folder, and what was left out."""

    name: str
    documents: list[Attachment] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences about how much of it is attached, and what is not."""
        size, n = sum(len(d.text) for d in self.documents), len(self.documents)
        # Only where something had to give way was there a choice.
        chosen = any(why in (NO_ROOM, UNRELATED) for _, why in self.left_out)
        first = ", those first that share the most words with the question" * chosen
        said = f"attached from {self.name}: {n:,} of {n + len(self.left_out):,} files"
        whole = (f"{said}, {size:,} characters{first}",) if n else ()
        return (*whole, *notices(self.left_out, NOT_ATTACHED, MOST_NAMED))


def folder_files(path: Path, question: str) -> FolderFiles:
    """The files of a folder that have text, ranked by the words that they share with a question.

    Raises:
        BadInput: if it cannot be read, or has too many.
    """
    listed = file_list(path)
    counted = list(_counted(listed, question))
    seen = Counter(word for _, _, words, names in counted for word in {*words, *names})
    rarity = {word: math.log(1 + len(counted) / n) for word, n in seen.items()}
    files = [
        RankedFile(name, size, _degree(size, words, names, rarity))
        for name, size, words, names in counted
    ]
    return FolderFiles(_shown(path, listed), listed, sorted(files, key=lambda f: f.place))


Words = dict[str, int]


def _counted(listed: FileList, question: str) -> Iterator[tuple[str, int, Words, Iterable[str]]]:
    """Each file with text: name, size, and the words of the question in its text and its name."""
    count = _counter(question)
    for name in listed.names:
        kind = f".{name.rpartition('.')[2].lower()}"
        if kind in DOCUMENTS:
            listed.left_out.append((name, "a document; attach it by itself"))
        elif kind in SUFFIXES:
            listed.left_out.append((name, "a picture; attach it by itself"))
        elif kind in PACKED:
            listed.left_out.append((name, NO_TEXT))
        elif (read := listed.text_of(name, LOOKED_AT)) is None:
            continue
        elif not read[1]:
            listed.left_out.append((name, NO_TEXT))
        else:
            yield name, read[1], count(read[0].decode("utf-8", "replace")), count(name)


def _counter(question: str) -> Callable[[str], Words]:
    """Counts the words of a question in a text, by their stems."""
    stems = sorted(key_words(question), key=lambda w: (-len(w), w))[:MOST_WORDS]

    def counted(text: str) -> Words:
        folded = text.lower()
        counts = ((s, folded.count(s) if len(s) > SHORT else _begun(s, folded)) for s in stems)
        return {stem: n for stem, n in counts if n}

    return counted


def _begun(short: str, text: str) -> int:
    """Count the words that begin so, among the first places; a pattern would take far longer."""
    found, at = 0, -1
    for _ in range(LOOKED_FOR):
        at = text.find(short, at + 1)
        if at < 0:
            break
        found += not (at and text[at - 1].isalnum())
    return found


def _degree(size: int, words: Words, names: Iterable[str], rarity: dict[str, float]) -> float:
    """Relevance of a file to the question: rare words count more, repetition less."""
    # The weight that BM25 gives repetitions (k = 1, b = 0.5): in a long file each counts for less.
    length = 0.5 + 0.5 * min(size, LOOKED_AT) / USUAL_BYTES
    in_text = sum(rarity[w] * n / (n + length) for w, n in words.items())
    return in_text + IN_NAME * sum(rarity[w] for w in names)


def _shown(path: Path, listed: FileList) -> str:
    """Name of a folder as the user gave it; of an absolute one, only its last part."""
    inside = not path.is_absolute() and ".." not in path.parts
    return path.as_posix() if inside else listed.folder.name
