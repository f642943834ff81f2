"""The web pages: a client of the same routes and events as any other."""

from mutual_dissent.surfaces.web.site import web

__all__ = ["web"]
