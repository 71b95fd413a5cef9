"""The license of a bundle: under which others may use the data.

Names are those of SPDX, https://spdx.org/licenses/. An address is for what is not listed here.
"""

import re
from dataclasses import dataclass
from typing import Final

from nqbench.common import spelling
from nqbench.common.errors import InputError

LICENSES: Final = {
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International",
    "CC-BY-SA-4.0": "Creative Commons Attribution Share Alike 4.0 International",
    "CC-BY-NC-4.0": "Creative Commons Attribution Non Commercial 4.0 International",
    "CC-BY-NC-SA-4.0": "Creative Commons Attribution Non Commercial Share Alike 4.0 International",
    "CC-BY-ND-4.0": "Creative Commons Attribution No Derivatives 4.0 International",
    "CC-BY-NC-ND-4.0": "Creative Commons Attribution Non Commercial No Derivatives 4.0 "
    "International",
    "CC0-1.0": "Creative Commons Zero v1.0 Universal",
    "ODC-By-1.0": "Open Data Commons Attribution License v1.0",
    "ODbL-1.0": "Open Data Commons Open Database License v1.0",
    "PDDL-1.0": "Open Data Commons Public Domain Dedication & License 1.0",
    "CDLA-Permissive-2.0": "Community Data License Agreement Permissive 2.0",
    "MIT": "MIT License",
    "Apache-2.0": "Apache License 2.0",
    "BSD-2-Clause": 'BSD 2-Clause "Simplified" License',
    "BSD-3-Clause": 'BSD 3-Clause "New" or "Revised" License',
}
"""Licenses of data, and of software that data come with: their full names, by their SPDX id."""

NO_LICENSE: Final = "No license is stated. Ask who gave you this bundle what you may do with it."
"""What a bundle says if nobody stated a license."""

_ADDRESS: Final = re.compile(r"https?://[\w.-]+(?::\d+)?(?:/[\w./~%&=?#+-]*)?", re.ASCII)
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class License:
    """A license: its SPDX id, or its address; the address of its text; and what it is called."""

    name: str
    address: str
    description: str

    @property
    def in_markdown(self) -> str:
        """The license with a link to its text."""
        if self.name == self.address:
            return f"<{self.address}>"
        return f"[{self.name}]({self.address}), {self.description}"

    @classmethod
    def of(cls, text: str) -> "License":
        """The license with this SPDX id, whatever its case, or at this address. Raises
        `InputError` for anything else.

        >>> License.of("cc-by-4.0").address
        'https://spdx.org/licenses/CC-BY-4.0'
        """
        name_or_address = text.strip()
        if len(name_or_address) <= _LONGEST and _ADDRESS.fullmatch(name_or_address):
            return cls(name_or_address, name_or_address, "the license at this address")
        name = spelling.find_name(name_or_address, LICENSES)
        if name is None:
            nearest = spelling.nearest(name_or_address, LICENSES)
            hint = (
                f"did you mean '{nearest}'?" if nearest else f"choose from {', '.join(LICENSES)}."
            )
            raise InputError(
                f"unknown license '{text}': {hint} Name any other by its address, https://..."
            )
        return cls(name, f"https://spdx.org/licenses/{name}", LICENSES[name])
