"""With this folder on the import path (`python -m vnla.mattersim --path` prints it), `import MatterSim` finds `vnla`."""

from vnla.mattersim import install

install()
