"""What a reader of files would do, here and now."""

from typing import Any

from django.test import Client

from dpgov.datasets.services.arrivals.reading import carry_out
from dpgov.datasets.services.arrivals.taking import next_claim
from dpgov.tenants.boundary import acting_for


def read_waiting() -> int:
    """Read every file that waits, by turns, as a worker would; how many."""
    count = 0
    while (claim := next_claim()) is not None:
        with acting_for(claim.tenant_id):
            carry_out(claim)
        count += 1
    return count


def arrived(client: Client, response: Any) -> Any:
    """Where an arrival leads once it was read: a dataset, or the form with the reason."""
    if response.status_code != 302 or not response.url.endswith("/reading/"):
        return response
    read_waiting()
    led = client.get(response.url)
    place = led.headers["Location"]
    back = place.startswith("/datasets/new/") or "/versions/" in place
    return client.get(place) if back else led


def refused(response: Any) -> bool:
    """Whether it is a form that says what is wrong, at once or after the file was read."""
    return response.status_code in (200, 422) and bool(response.context["problems"])
