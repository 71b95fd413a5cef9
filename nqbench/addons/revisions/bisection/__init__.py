"""Which commit made a solver worse: between a good and a bad one, by runs that are recorded.

git_bisect  which commit to try next: `git bisect`, in a copy of the repository without files
trials      the runs of a commit
judgement   whether a commit is good or bad, or that this cannot be said
exact       judged by conflicts, by answers, or by crashes
timed       judged by times, with as many repeats as the noise needs
result      the commit, the evidence, and the command that shows it again
bisect      one after another, until one commit is left
plan        what it would do, for a dry run
"""
