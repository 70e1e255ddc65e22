"""What a person sees of Libra on the desktop."""
