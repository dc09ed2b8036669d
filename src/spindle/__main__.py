"""`python -m spindle`: the same as the `spindle` command."""

from spindle.cli.app import main

if __name__ == "__main__":
    main()
