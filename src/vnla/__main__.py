"""`python -m vnla` is the `vnla` command."""

from vnla.cli import main

main()
