"""The API's shapes: what is read, what is answered, what is refused, and their description."""
