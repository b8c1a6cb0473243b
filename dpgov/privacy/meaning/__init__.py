"""What an amount of loss means for a person, in odds."""
