"""Results as one file for somebody else, who can check it and measure its runs again."""
