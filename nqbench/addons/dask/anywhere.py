"""Functions for workers and schedulers that may have another nqbench, or none.

They are sent as the text of this module, so each imports what it needs, and nothing of nqbench is
needed to receive them.
"""


def presence() -> dict[str, str]:
    """What this process has: `python`, and `nqbench`, its version; or `missing`, the reason why
    nqbench cannot be used here.
    """
    import platform

    versions = {"python": f"{platform.python_implementation()} {platform.python_version()}"}
    try:
        import nqbench
    except BaseException as error:  # foreign code may do anything
        absent = isinstance(error, ModuleNotFoundError) and error.name == "nqbench"
        reason = (
            "it has no nqbench" if absent else f"its nqbench cannot be imported: {error!r:.200}"
        )
        return {**versions, "missing": reason}
    return {**versions, "nqbench": str(getattr(nqbench, "__version__", "of no version"))}


def forget(scheduler_id: str, name: str) -> None:
    """Remove what this scheduler knows of a resource and of events with this name."""
    from distributed.scheduler import Scheduler

    for scheduler in list(Scheduler._instances):
        tasks = scheduler.tasks.values()
        if scheduler.id != scheduler_id or any(
            name in (t.resource_restrictions or ()) for t in tasks
        ):
            continue
        scheduler.resources.pop(name, None)
        scheduler._broker._topics.pop(name, None)
        for worker in scheduler.workers.values():
            worker.resources.pop(name, None)
            worker.used_resources.pop(name, None)
