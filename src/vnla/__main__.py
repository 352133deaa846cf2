"""`python -m vnla` is the `vnla` command."""

from vnla.cli import main

if __name__ == "__main__":
    main()
