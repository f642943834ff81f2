"""`python -m mutual_dissent` is the command `dissent`."""

from mutual_dissent.surfaces.cli import main

if __name__ == "__main__":
    main()
