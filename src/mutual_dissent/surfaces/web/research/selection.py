"""Selection of debates: by their ids, or all that a search finds."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import BaseModel, Field
from starlette.requests import Request

from mutual_dissent.core.errors import BadInput
from mutual_dissent.store.debates.search import ListedDebate
from mutual_dissent.store.store import Store
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.rest.input.json_body import body_of
from mutual_dissent.surfaces.rest.input.requests import Body, SessionName
from mutual_dissent.surfaces.rest.input.session_query import Find

MOST_IDS = 5_000
JSON = "application/json"

B = TypeVar("B", bound=BaseModel)
Ids = Annotated[list[SessionName], Field(min_length=1, max_length=MOST_IDS)]


class Browse(Find):
    """A page of the list; `reverse` turns the order round."""

    reverse: bool = False


class Chosen(Body):
    """Debates by their ids, or all that match a search."""

    ids: Ids | None = None
    find: Find | None = None

    def rows(self, store: Store, most: int) -> list[ListedDebate]:
        """Return the newest of them.

        Raises:
            BadInput: if it has neither.
        """
        if self.ids is not None:
            return store.some(self.ids)[:most]
        if self.find is None:
            raise BadInput("nothing is selected; send ids, or find")
        return store.list(**self.find.wanted, limit=most)

    def count(self, store: Store) -> int:
        """Return the number of selected debates."""
        if self.ids is not None:
            return len(store.some(self.ids))
        return store.count(**self.find.wanted) if self.find else 0

    @property
    def is_everything(self) -> bool:
        """Return whether no filter narrows the selection."""
        return self.ids is None and bool(self.find) and not any(_filters(self.find))


async def read_body(request: Request, model: type[B]) -> B:
    """Read the body of a request, which only our own pages can send as JSON.

    Raises:
        Refused: if it is not JSON.
        BadInput: if it is not what the model asks for.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise ApiError(415, "not_json", f"the body must be JSON; send Content-Type: {JSON}")
    return await body_of(request, model)


def _filters(find: Find | None) -> list[object]:
    return [v for v in find.wanted.values() if v not in (None, "")] if find else []
