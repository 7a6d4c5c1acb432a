"""Playing, watching and replaying ECK and Gongor Whist: the web page and its server, and the table in a terminal."""
