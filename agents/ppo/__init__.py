"""Training with PPO (MaskablePPO of sb3-contrib) on the batch engine, and the export of what comes of it."""

NEEDED = (
    'training and export need the extra "train": run them with the Python that has it, which after `make setup` is '
    '.venv/bin/python, or install it by: pip install -e ".[train]"'
)
"""What to tell whoever lacks a library."""
