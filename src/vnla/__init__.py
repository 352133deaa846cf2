"""Agents that find things in a house by sight and ask for help in language.

An implementation of *Vision-based Navigation with Language-based Assistance via Imitation Learning with Indirect
Intervention* (Nguyen, Dey, Brockett, Dolan, CVPR 2019).
"""

__version__ = "0.1.0"
