"""{{title}}, as the old script read them."""
