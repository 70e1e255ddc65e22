"""What goes into the prompt, decided without I/O: fuse, rank, diversify, pack, check, render."""
