"""ECK: a solo trick-taking card game by John Burton."""
