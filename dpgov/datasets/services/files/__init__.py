"""Files on their way in, each in its bounds."""
