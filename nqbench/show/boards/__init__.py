"""Pictures of boards: text, terminal colours, SVG, and figures."""
