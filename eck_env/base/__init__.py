"""What the environments of all games share: engine, observations, infos, environments, pictures."""
