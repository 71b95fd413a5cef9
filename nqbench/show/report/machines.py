"""Describes the machines of a campaign in sentences."""

from collections.abc import Iterable, Sequence

from nqbench.common.machine.environment import Environment


def described(environments: Iterable[Environment]) -> list[str]:
    """Describe each machine once, with everything that was found on it. Runs need different
    packages, and versions can change during a campaign.
    """
    by_machine: dict[str, list[Environment]] = {}
    for environment in environments:
        by_machine.setdefault(environment.machine, []).append(environment)
    return [f"{machine}, {_facts(there)}." for machine, there in by_machine.items()]


def _facts(environments: Sequence[Environment]) -> str:
    memory = _either(f"{environment.memory_bytes / 2**30:.0f} GiB" for environment in environments)
    kernel = _either(environment.kernel for environment in environments)
    python = _either(environment.python for environment in environments)
    nqbench = _either(environment.nqbench for environment in environments)
    commits = _either(
        _commit(environment) for environment in environments if environment.git_commit
    )
    commit = f" (commit {commits})" if commits else ""
    facts = [memory, kernel, python, f"nqbench {nqbench}{commit}", *_packages(environments)]
    return ", ".join(facts)


def _commit(environment: Environment) -> str:
    changed = " with changes" if environment.git_dirty else ""
    return f"{(environment.git_commit or '')[:10]}{changed}"


def _packages(environments: Sequence[Environment]) -> list[str]:
    names = {name for environment in environments for name in environment.packages} - {"nqbench"}
    return [
        f"{name} {_either(each.packages[name] for each in environments if name in each.packages)}"
        for name in sorted(names)
    ]


def _either(texts: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(texts))
