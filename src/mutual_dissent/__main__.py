"""`python -m mutual_dissent` is the same as `dissent`."""

from mutual_dissent.surfaces.cli import main

main()
