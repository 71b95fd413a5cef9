"""What a figure says."""


def texts(figure):
    """All that is written around the panels."""
    legends = [
        legend for legend in figure.legends + [a.get_legend() for a in figure.axes] if legend
    ]
    key = [text.get_text() for legend in legends for text in legend.get_texts()]
    return [text.get_text().replace("\n", " ") for text in figure.texts], key


def ticks(figure, axis):
    """The labels between the ends of an axis, by position."""
    figure.draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    return {
        place: label.get_text()
        for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        if low <= place <= high
    }


def meshes(panels):
    """The cells of heatmaps, one mesh for each panel that is no colour bar."""
    return [axes.collections[0] for axes in panels if axes.get_label() != "<colorbar>"]
