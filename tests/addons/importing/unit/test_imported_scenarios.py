"""Scenarios of ASlib with several measures: times are those of type `runtime`."""

import pytest

from nqbench.addons.importing import detection
from nqbench.common.errors import InputError

ROWS = [("i1", 0.9, 9, 1.5), ("i2", 1.0, 80, 2.5)]


@pytest.fixture
def scenario(tmp_path):
    """Makes a folder with these measures in the file of runs, and a description."""

    def made(description, measures=("quality", "runtime", "cpu"), cutoff=100):
        names = ("instance_id", "repetition", "algorithm", *measures, "runstatus")
        head = "".join(f"@ATTRIBUTE {name} STRING\n" for name in names)
        values = [dict(zip(("quality", "runtime", "cpu"), row[1:], strict=True)) for row in ROWS]
        rows = (
            f"{row[0]},1,a,{','.join(str(known.get(name, 7)) for name in measures)},ok\n"
            for row, known in zip(ROWS, values, strict=True)
        )
        (tmp_path / "algorithm_runs.arff").write_text(f"{head}@DATA\n{''.join(rows)}")
        (tmp_path / "description.txt").write_text(
            f"scenario_id: x\n{description}\nalgorithm_cutoff_time: {cutoff}\n"
        )
        return tmp_path

    return made


def listed(measures, types, maximize=()):
    given = {"performance_measures": measures, "performance_type": types, "maximize": maximize}
    return "\n".join(
        f"{name}:\n" + "\n".join(f"- {value}" for value in values)
        for name, values in given.items()
        if values
    )


RUNTIMES = [9, 80]


@pytest.mark.parametrize(
    ("description", "times"),
    [
        (listed(["quality", "runtime"], ["solution_quality", "runtime"]), RUNTIMES),
        (listed(["runtime", "quality"], ["runtime", "solution_quality"]), RUNTIMES),
        (listed(["quality", "cpu"], ["solution_quality", "runtime"]), [1.5, 2.5]),
        (listed(["cpu", "quality", "runtime"], ["runtime", "other", "runtime"]), [1.5, 2.5]),
        (listed(["quality", "runtime", "cpu"], ["quality", "runtime", "runtime"]), RUNTIMES),
        (listed(["RUNTIME"], ["Runtime"], ["false"]), RUNTIMES),
        (
            listed(["quality", "runtime"], ["solution_quality", "runtime"], ["true", "false"]),
            RUNTIMES,
        ),
        (
            "performance_measures: [quality, 'runtime']\nperformance_type: [solution_quality, "
            '"runtime"] # two\nmaximize: [yes, no]',
            RUNTIMES,
        ),
        (
            "performance_measures:\n    - quality\n    # the time\n    - runtime\n"
            "performance_type:\n    - solution_quality\n\n    - runtime",
            RUNTIMES,
        ),
        ("performance_measures: runtime\nperformance_type: runtime\nmaximize: no", RUNTIMES),
    ],
)
def test_the_time_is_the_first_measure_of_type_runtime(scenario, description, times):
    """In whatever order they are, and whatever their names."""
    found = detection.records(scenario(description))
    assert found["solve_s"].to_list() == times
    assert set(found["outcome"]) == {"finished"}


@pytest.mark.parametrize(
    ("description", "why"),
    [
        (
            listed(["quality", "obj"], ["solution_quality", "solution_quality"]),
            "no measure has the type runtime (quality is solution_quality, obj is solution_q",
        ),
        (
            listed(["quality", "runtime"], ["runtime"]),
            "it has 2 performance_measures, but 1 performance_type",
        ),
        (
            listed(["runtime"], ["solution_quality", "runtime"]),
            "it has 1 performance_measures, but 2 performance_type",
        ),
        (
            listed(["quality", "runtime"], ["solution_quality", "runtime"], ["false", "true"]),
            "runtime is to be maximized, so it is not a time",
        ),
        (listed(["quality", "wall"], ["solution_quality", "runtime"]), "no attribute 'wall'"),
        ("", "it states no performance_type"),
    ],
)
def test_a_scenario_without_a_time_is_refused(scenario, description, why):
    with pytest.raises(InputError) as refused:
        detection.records(scenario(description))
    assert why in str(refused.value)
    assert "description.txt" in str(refused.value)


def test_a_measure_may_have_another_name_than_its_attribute_if_it_is_the_only_one(scenario):
    folder = scenario(listed(["PAR10"], ["runtime"]), ("cpu",))
    assert detection.records(folder)["solve_s"].to_list() == [1.5, 2.5]


def test_the_time_limit_can_be_stated_if_the_scenario_has_none(scenario):
    folder = scenario(listed(["quality", "runtime"], ["solution_quality", "runtime"]), cutoff="?")
    with pytest.raises(InputError, match="nothing states time_limit_s"):
        detection.records(folder)
    found = detection.records(folder, stated={"time_limit_s": 50.0})
    assert found.select("outcome", "solve_s").rows() == [("finished", 9), ("timeout", None)]
