"""The web pages: a client of the same routes and events that everybody else has."""

from mutual_dissent.surfaces.web.site import web

__all__ = ["web"]
