"""Models on ONNX Runtime: which one, where it runs, and text to vectors.

Importing this package loads no model runtime; :meth:`libra.inference.embedder.Embedder.open` does.
"""
