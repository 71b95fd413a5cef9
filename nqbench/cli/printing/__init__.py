"""What commands print, besides tables."""
