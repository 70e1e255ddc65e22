"""JSON-RPC 2.0 on a local socket: decoder, endpoint, server, client."""
