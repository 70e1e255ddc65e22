"""What becomes of a memory: its type, confidence, age, duplicates and contradictions; pure (memory model §1, §4)."""
