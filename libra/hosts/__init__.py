"""Reaching hosts: what Libra writes into their settings, and the small program that they call."""
