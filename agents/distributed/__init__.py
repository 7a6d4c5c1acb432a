"""Training and evaluation over the processes and machines of a Ray cluster."""

NEEDED = "this needs Ray, in an environment of its own: pip install -r scripts/examples/requirements/rllib.txt"
"""What to tell whoever lacks it."""
