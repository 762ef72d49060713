"""hookweave in agent frameworks: one module a framework, which imports that framework.

Each module is for one line in a program that has the framework already; ``docs/adapters.md`` lists them.
"""
