"""A scenario of ASlib as small as it can be."""

HEADER = """@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE runtime NUMERIC
@ATTRIBUTE runstatus {ok, timeout}
@DATA
"""


def scenario(folder, *runs):
    """Write a scenario with these runs, and a limit of 50 s, into a new folder."""
    folder.mkdir()
    (folder / "description.txt").write_text("algorithm_cutoff_time: 50\n")
    (folder / "algorithm_runs.arff").write_text(HEADER + "".join(f"{run}\n" for run in runs))
    return folder
