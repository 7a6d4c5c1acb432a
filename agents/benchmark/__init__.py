"""The benchmark: decisions per second of this engine and of other simulators, side by side in one run.

The workers measure, each in the environment of its library; the rest of the package runs them and shows the figures.
"""
