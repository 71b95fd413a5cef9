"""The documented cluster configuration, read by the programs that use it."""

import ast
import re
import shlex

import dask
import pytest
import yaml
from dask_jobqueue import PBSCluster, SLURMCluster
from distributed.cli import dask_scheduler, dask_ssh, dask_worker
from places import ROOT

PAGE = (ROOT / "docs" / "addons" / "dask.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        (
            SLURMCluster,
            [
                "#SBATCH -p batch",
                "#SBATCH --cpus-per-task=16",
                "#SBATCH --exclusive",
                "-t 04:00:00",
            ],
        ),
        (PBSCluster, ["#PBS -q batch", "#PBS -l select=1:ncpus=16:mem=64gb", "walltime=04:00:00"]),
    ],
)
def test_job_scripts(cluster, expected):
    (configuration,) = map(yaml.safe_load, blocks("yaml"))
    merged = dask.config.merge(dask.config.config, configuration)
    options = {"dashboard_address": ":0"}
    with dask.config.set(merged), cluster(scheduler_options=options) as made:
        script = made.job_script()
    for line in [*expected, "source /shared/nqbench/bin/activate", "--nthreads 16", "--lifetime"]:
        assert line in script


def test_the_script_that_starts_a_cluster_is_python():
    (script,) = blocks("python")
    names = {node.id for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Name)}
    assert "SLURMCluster" in names


def test_the_commands_of_dask_have_these_options(tmp_path, monkeypatch):
    (tmp_path / "hosts.txt").touch()
    monkeypatch.chdir(tmp_path)
    commands = {"scheduler": dask_scheduler, "worker": dask_worker, "ssh": dask_ssh}
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    checked = 0
    for line in lines:
        if line.startswith("dask "):
            _, command, *words = shlex.split(line)
            commands[command].main.make_context(command, words)
            checked += 1
    assert checked == 3
