"""Files and databases of other programs, read without ever being changed: turns and documents for the engine."""
