"""Licenses of bundles: by their SPDX id or an address, and refused in one line otherwise."""

import pytest

from nqbench.addons.bundle.license import LICENSES, License
from nqbench.common.errors import InputError


@pytest.mark.parametrize("name", LICENSES)
def test_each_license_is_found_whatever_its_case(name):
    found = License.of(f" {name.lower()} ")
    assert (found.name, found.description) == (name, LICENSES[name])
    assert found.address == f"https://spdx.org/licenses/{name}"
    assert found.in_markdown == f"[{name}]({found.address}), {LICENSES[name]}"


def test_another_license_is_an_address():
    found = License.of("https://example.org/terms/1.0?lang=en#data")
    assert found.name == found.address
    assert found.in_markdown == "<https://example.org/terms/1.0?lang=en#data>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CC-BY", "did you mean 'CC-BY-4.0'?"),
        ("CC BY 4.0", "did you mean 'CC-BY-4.0'?"),
        ("CC0", "did you mean 'CC0-1.0'?"),
        ("", "choose from CC-BY-4.0, "),
        ("mine", "Name any other by its address, https://..."),
        ("https://", "unknown license"),
        ("https://example.org/> <script>", "unknown license"),
        ("https://example.org/a](b)", "unknown license"),
        ("javascript:alert(1)", "unknown license"),
        (f"https://example.org/{'a' * 300}", "unknown license"),
    ],
)
def test_anything_else_is_refused_with_what_works(text, said):
    with pytest.raises(InputError) as refused:
        License.of(text)
    assert said in str(refused.value)


def test_the_command_refuses_it_in_one_line(nqbench):
    refused = nqbench("bundle", "out.zip", "--license", "CC-BY")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "unknown license 'CC-BY'" in refused.stderr
