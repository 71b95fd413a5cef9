"""Words and values: vocabulary, settings, limits, metrics, errors, files, parsing, units."""
