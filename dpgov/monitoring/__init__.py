"""Probes and numbers for whoever watches an installation. Looks into rooms, changes nothing."""
