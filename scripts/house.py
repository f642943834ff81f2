"""The house rules of the source tree: `python scripts/house.py` names what breaks one."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "mutual_dissent"

MOST_MODULES = 15
TABLES = {"modes", "surfaces/cli/commands", "analysis/ballots/rules"}
"""Folders of like things, which may have any number of them."""

NOUNS = set(
    "briefing closing ending grading heading hosting ranking recorded scripted seating spelling "
    "stopping".split()
)
"""Words that look like a verb's form and are names of things here."""
PARTICIPLES = set(
    "told said held kept taken chosen given shown gone done put sent found known written heard "
    "made meant brought left lost spent seen begun bound paid drawn".split()
)
VERBS = {"put"}
"""Words of those that are a verb's plain form as well."""
WH_WORD = re.compile(
    r"(What|Whatever|Who|Whoever|Whom|Whose|Whether|How|However|Which|Where|When|Why)\b"
)


def offenders() -> list[str]:
    """One line for each offence of today, sorted."""
    files = sorted(SOURCE.rglob("*.py"))
    trees = {_name(file): ast.parse(file.read_text("utf-8")) for file in files}
    return sorted(
        [
            *(f"folder {name}" for name in _crowded(files)),
            *(f"module {name}" for name in trees if _verb_form(Path(name).name)),
            *(f"class {name}" for name in _repeated(trees)),
            *(f"function {name}" for name in _participles(trees)),
            *(f"docstring {name} {n}" for name, n in _wh_words(trees).items()),
            *(f"cycle {name}" for name in _cycle(trees)),
        ]
    )


def _name(file: Path) -> str:
    """A module's path below the package, without its ending; a package has its folder's."""
    path = file.parent if file.stem == "__init__" else file.with_suffix("")
    return path.relative_to(SOURCE).as_posix()


def _crowded(files: list[Path]) -> Iterator[str]:
    modules = Counter(f.parent for f in files if f.stem != "__init__")
    for folder, n in modules.items():
        if n > MOST_MODULES and (name := folder.relative_to(SOURCE).as_posix()) not in TABLES:
            yield name


def _verb_form(name: str) -> bool:
    """Return whether a module is named by a gerund, or ends in a participle."""
    if name in NOUNS:
        return False
    *before, last = name.split("_")
    gerund = any(word.endswith("ing") for word in {*before, last} - NOUNS)
    return gerund or (last not in NOUNS and last.endswith("ed")) or last in PARTICIPLES


def _repeated(trees: dict[str, ast.Module]) -> Iterator[str]:
    places = defaultdict(set)
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(module)
    return (name for name, modules in places.items() if len(modules) > 1)


def _participles(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Public functions named by a participle alone; flags and properties tell a state by one."""
    for module, tree in trees.items():
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for node in (node for owner in (tree, *classes) for node in owner.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_state(node):
                regular = re.fullmatch("[a-z]+[^e]ed", node.name)
                if regular or node.name in PARTICIPLES - VERBS:
                    yield f"{module} {node.name}"


def _is_state(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = {ast.unparse(d) for d in function.decorator_list}
    result = function.returns and ast.unparse(function.returns)
    return result == "bool" or bool(decorators & {"property", "cached_property"})


def _wh_words(trees: dict[str, ast.Module]) -> Counter[str]:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return Counter(
        module
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, documented) and WH_WORD.match(ast.get_docstring(node) or "")
    )


def _cycle(trees: dict[str, ast.Module]) -> list[str]:
    """The first cycle of imports, those inside functions included; empty if there is none."""
    try:
        TopologicalSorter(
            {module: set(_imported(tree, trees)) for module, tree in trees.items()}
        ).prepare()
    except CycleError as e:
        return sorted(set(e.args[1]))
    return []


def _imported(tree: ast.AST, modules: Container[str]) -> Iterator[str]:
    """The modules that are imported at run time: of `from a import b`, b if it is one, else a."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [_path(alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inside = [_path(f"{node.module}.{alias.name}") for alias in node.names]
            names = [n if n in modules else _path(node.module or "") for n in inside]
        else:
            yield from _imported(node, modules)
        yield from (name for name in names if name in modules)


def _path(module: str) -> str:
    return module.removeprefix(SOURCE.name).removeprefix(".").replace(".", "/") or "."


if __name__ == "__main__":
    sys.exit("\n".join(offenders()) or 0)
