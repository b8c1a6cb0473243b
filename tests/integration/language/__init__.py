"""Every page in the language of its reader."""
