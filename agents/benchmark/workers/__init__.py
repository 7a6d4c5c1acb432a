"""Programs that measure one library each, run as ``python -m`` by the Python that has it; `serve.py` has the protocol.

They import nothing of eck_env (but for that library's own), as their Pythons do not have it.
"""
