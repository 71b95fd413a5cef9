"""Documents of LaTeX, compiled."""

import shutil
import subprocess

import pytest

with_latex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs LaTeX (pdflatex)")


def compile_document(folder, packages, body):
    """Compile a document with these packages and this body, in a folder with all that it inputs."""
    (folder / "paper.tex").write_text(
        f"\\documentclass{{article}}\\usepackage{{{packages}}}\\begin{{document}}\n"
        f"{body}\\end{{document}}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout[-2000:]
