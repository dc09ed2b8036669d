"""Commands: one file per noun; `render` alone knows how things look."""
