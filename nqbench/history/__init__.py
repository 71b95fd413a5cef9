"""Results over versions, revisions or days: lines, the steps in them, and how they are shown."""
