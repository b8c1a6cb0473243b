"""What the API says of amounts."""
