"""Deutsch."""
