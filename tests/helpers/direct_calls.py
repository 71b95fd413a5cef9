"""What `isolate` does, without a separate process."""

import math
import time

from nqbench import isolate
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.supervise import Ending


def call(function, limits, *_, **__):
    """As `isolate.call`, for a function that ends, and that changes nothing of its process."""
    began, cpu_before_s = time.monotonic(), time.process_time()
    try:
        outcome, message, payload = Outcome.FINISHED, "", function()
    except Exception as error:
        outcome, message, payload = Outcome.CRASHED, isolate.describe_error(error), b""
    passed_s, cpu_s = time.monotonic() - began, time.process_time() - cpu_before_s
    return Ending(
        outcome, message, payload, passed_s, cpu_s, peak_rss_bytes=None, exit_status=0, signal=None,
        function_s=passed_s, function_cpu_s=cpu_s, function_wait_s=math.inf,
    )  # fmt: skip
