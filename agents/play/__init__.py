"""Playing, watching and replaying ECK: the web page and its server, and the table in a terminal."""
