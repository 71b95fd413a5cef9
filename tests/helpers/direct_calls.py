"""What `isolate` does, without a separate process."""

from nqbench import isolate
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.supervise import Ending


def call(function, limits, *_, **__):
    """As `isolate.call`, for a function that ends, and that changes nothing of its process."""
    try:
        outcome, message, payload = Outcome.FINISHED, "", function()
    except Exception as error:
        outcome, message, payload = Outcome.CRASHED, isolate.describe_error(error), b""
    return Ending(
        outcome, message, payload,
        wall_s=0.0, cpu_s=0.0, peak_rss_bytes=None, exit_status=0, signal=None,
    )  # fmt: skip
