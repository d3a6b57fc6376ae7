"""Views by noun: permission and fetch, form, one service, redirect."""
