"""Tables that stay in their owner's server: their door, their password, their engine."""
