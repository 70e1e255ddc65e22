"""What a text is: pure functions of their arguments, no clock, no I/O, linear in the input."""
