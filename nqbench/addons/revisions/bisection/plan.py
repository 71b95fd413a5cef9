"""What a bisection would do. Nothing is built, measured or stored to find out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from nqbench.addons.revisions.bisection.bisect import Bisecting
from nqbench.addons.revisions.bisection.git_bisect import GitBisect
from nqbench.addons.revisions.bisection.judgement import Kind
from nqbench.addons.revisions.bisection.timed import LOOKS, pairs_of_first_look
from nqbench.addons.revisions.build import Build
from nqbench.addons.revisions.recipe import recipe_of
from nqbench.addons.revisions.repository import Commit
from nqbench.common.units import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a bisection would do. There are so many `commits` after the good one, up to the bad one.
    About `steps` of them would be judged besides the ends. `unbuilt` are the ends that are not
    built yet. If nothing is recorded yet, there would be from `fewest_runs` to `most_runs` runs.
    """

    by: Kind
    repository: str
    good: Commit
    bad: Commit
    commits: int
    steps: int
    unbuilt: tuple[Commit, ...]
    problems: int
    fewest_runs: int
    most_runs: int

    @classmethod
    def of(cls, bisecting: Bisecting) -> Self:
        """Look at the repository. Raises `InputError` as `Bisecting.run` does for wrong revisions
        and recipes.
        """
        spec, good, bad = bisecting.ends()
        recipe = recipe_of(spec.repository)
        builds = [Build(spec.repository, commit, recipe) for commit in (good, bad)]
        with GitBisect(spec.repository, good, bad) as search:
            steps = search.steps_left + 1 if search.next else 0
        commits = bisecting.commits_between(good, bad)
        problems = len(bisecting.campaign.problems)
        fewest, most = _runs_per_problem(bisecting.by, steps, commits)
        return cls(
            by=bisecting.by,
            repository=str(spec.repository.path),
            good=good,
            bad=bad,
            commits=commits,
            steps=steps,
            unbuilt=tuple(build.commit for build in builds if build.is_waiting),
            problems=problems,
            fewest_runs=fewest * problems,
            most_runs=most * problems,
        )

    def sentences(self) -> Iterator[str]:
        """The plan in words."""
        yield f"good: {self.good}"
        yield f"bad: {self.bad}"
        yield (
            f"{counted(self.commits, 'commit')} in {self.repository}, by {self.by}: about "
            f"{counted(self.steps, 'step')} after these two."
        )
        built = ", ".join(commit.short for commit in self.unbuilt)
        ends = f", {built} among them" if built else ", but neither of these two"
        yield f"At most about {counted(self.steps + len(self.unbuilt), 'commit')} to build{ends}."
        varies = self.most_runs > self.fewest_runs
        runs = f"{self.fewest_runs} to {self.most_runs}" if varies else f"{self.fewest_runs}"
        needed = ", as many as the noise needs" if varies else ""
        yield (
            f"About {runs} runs on {counted(self.problems, 'problem')}{needed}, less what is "
            "recorded. Nothing was built or measured."
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def _runs_per_problem(by: Kind, steps: int, commits: int) -> tuple[int, int]:
    """The fewest and the most runs of each problem."""
    if by is Kind.TIME:
        # The bad commit and each between the two are run in pairs with the good one.
        fewest = 2 * (1 + steps) * pairs_of_first_look(commits)
        return fewest, fewest * 2 ** (LOOKS - 1)
    ends = 4 if by is Kind.CONFLICTS else 2  # twice each, to see whether conflicts vary
    return ends + steps, ends + steps
