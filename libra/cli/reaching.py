"""Where the running app is, as flags and environment name it; loads next to nothing, since hosts wait for some commands."""

from __future__ import annotations

import argparse

from libra.ground.paths import Places, places
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint


def places_of(args: argparse.Namespace) -> Places:
    """Return the places that the flags and the environment name."""
    return places(args.data_dir, args.socket, args.config)


def client_of(args: argparse.Namespace) -> Client:
    """Return a client of the app at these places; it connects with its first call."""
    return Client(endpoint(places_of(args)))
