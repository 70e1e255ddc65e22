"""Is a turn worth keeping for good? Signals, admission and calibration; pure functions (memory model §4)."""
