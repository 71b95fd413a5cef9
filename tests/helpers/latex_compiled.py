"""Documents of LaTeX, compiled."""

import re
import shutil
import subprocess

import pytest

with_latex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs LaTeX (pdflatex)")


def compile_document(folder, packages, body, width="345pt"):
    """Compile a document with these packages, this body, and text of this width, in a folder with
    all that it inputs. Return the texts that are wider than their lines, as LaTeX reports them.
    """
    (folder / "paper.tex").write_text(
        f"\\documentclass{{article}}\\usepackage{{{packages}}}\\textwidth={width}\n"
        f"\\begin{{document}}\n{body}\\end{{document}}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return re.findall(r"Overfull \\hbox .*", done.stdout)
