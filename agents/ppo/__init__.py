"""Training with PPO (MaskablePPO of sb3-contrib) on the batch engine, and the export of what comes of it."""
