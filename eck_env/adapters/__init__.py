"""Adapters to other libraries, a module each, which alone imports the library."""
