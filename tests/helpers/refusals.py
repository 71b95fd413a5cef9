"""What is said of an input that is refused."""

import pytest

from nqbench.common.errors import InputError


def refusal_of(read):
    """A function that calls `read`, and returns the message of its error without the file."""

    def refused(*given, **options):
        with pytest.raises(InputError) as error:
            read(*given, **options)
        return str(error.value).partition(".csv: ")[2]

    return refused
