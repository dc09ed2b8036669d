"""The nouns: frozen values that every other room speaks in. Imports no other package of Spindle."""
