"""What is said of an input that is refused."""

from dataclasses import replace

import pytest

from nqbench.common.errors import InputError


def refusal_of(read):
    """A function that calls `read`, and returns the message of its error without the file."""

    def refused(*given, **options):
        with pytest.raises(InputError) as error:
            read(*given, **options)
        assert error.value.place.source.endswith(".csv")
        place = replace(error.value.place, source="")
        return str(InputError(error.value.reason, place=place))

    return refused
