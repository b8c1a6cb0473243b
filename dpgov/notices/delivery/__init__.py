"""On the way to people and servers, until it has arrived."""
