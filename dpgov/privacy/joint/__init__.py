"""Totals of several parties of whom none is trusted: shares of noise, masks that add up to none."""
