"""Adapters to libraries that do not take Gymnasium's vector environments; each imports its library, this imports none."""
