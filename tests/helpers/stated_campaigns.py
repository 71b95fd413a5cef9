"""A campaign as a file, and how tests write one."""

GOOD = """\
# two campaigns
repeat = 2
time-limit = "10s"

[[campaign]]
n = "4..6"
encoding = ["pairwise", "product:state=rows"]
backend = ["minisat22"]

[[campaign]]
board = ["boards/*.txt"]
backend = ["backtracking"]
task = "all"
time-limit = "1m"
cpu-limit = "30s"
memory-limit = "1GiB"
memory-limit-by = "cgroup"
shuffle-clauses = 5
"""


def written(folder, text):
    """The path of a campaign file with this text, beside the boards of `GOOD`."""
    boards = folder / "boards"
    boards.mkdir(exist_ok=True)
    (boards / "b.txt").write_text("Q...\n....\n....\n....\n")
    (boards / "a.txt").write_text("....\n...Q\n....\n....\n")
    path = folder / "campaign.toml"
    path.write_text(text)
    return path
