"""From numbers to what is read: tables, plots, the page of a campaign, LaTeX."""
