"""The templates of other pages, with those parts that they share with the report."""

from jinja2 import ChoiceLoader, Environment, PackageLoader


def templates_of(package: str) -> Environment:
    """The templates of a package. They may include those of the report, such as its style."""
    loaders = [PackageLoader(package), PackageLoader("nqbench.show.report")]
    return Environment(loader=ChoiceLoader(loaders), autoescape=True)
