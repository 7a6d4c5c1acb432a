"""The trick-taking game without numbers: rules, observations, environments."""
