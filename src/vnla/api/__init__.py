"""What a person needs from Python, behind the names that `vnla` exports (docs/python.md).

Each function has the options of a command, by name, with the same checks, defaults and messages (`vnla.cli.asking`), calls
what the command calls, and returns objects instead of printing. Whatever is wrong with what it is given is an `InputError`.
"""
