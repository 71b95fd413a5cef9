"""What a figure says."""


def texts(figure):
    """All that is written around the panels."""
    legends = [
        legend for legend in figure.legends + [a.get_legend() for a in figure.axes] if legend
    ]
    key = [text.get_text() for legend in legends for text in legend.get_texts()]
    return [text.get_text().replace("\n", " ") for text in figure.texts], key
