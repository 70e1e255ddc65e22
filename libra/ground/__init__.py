"""Values, errors and places that every other package stands on."""
