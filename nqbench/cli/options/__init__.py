"""Options that several commands have, and what they make of them."""
