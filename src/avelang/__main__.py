"""`python -m avelang`: the command `ave`."""

from avelang.cli.main import main

if __name__ == "__main__":
    main()
