"""M74: tokens by e-mail, from the owner's list to an answer, in a browser.

What could leak: an address stays on the page, or in the database, after its e-mail has left.
"""

import re
from email import message_from_bytes

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.product import Product
from tests.servers.waiting import until

_ADDRESSES = ("ada@people.example", "bo@people.example")
_LINK = re.compile(r"(/s/\S+#[0-9a-f]{32})")


def _letter_to(address: str, product: Product) -> str:
    files = (product.home / "state" / "mail").iterdir()
    letters = [message_from_bytes(path.read_bytes()) for path in files]
    (found,) = (letter for letter in letters if letter["To"] == address)
    body = found.get_payload(decode=True)
    assert isinstance(body, bytes)
    return body.decode()


def test_who_got_an_e_mail_follows_its_link_and_answers(visit: Visit, product: Product) -> None:
    """M74: without a mail server the e-mails are files of the state folder."""
    owner = visit().sign_in("owner")
    owner.goto("/surveys/new/")
    owner.get_by_label("Question", exact=True).fill("Did you ever skip a vaccination?")
    owner.get_by_label("Answers", exact=True).fill("Yes\nNo")
    owner.get_by_label("Privacy loss ε per answer").fill("1.1")
    owner.get_by_role("button", name="Save the draft").click()
    owner.get_by_role("button", name="Open the survey").click()
    owner.get_by_label("E-mail addresses").fill("\n".join(_ADDRESSES))
    owner.get_by_role("button", name="Send tokens").click()
    sent = owner.get_by_text("E-mails: 2 sent, 0 waiting, 0 given up.")

    def are_sent() -> bool:
        owner.reload()
        return sent.is_visible()

    until(are_sent, owner.locator("main").inner_text)
    assert not any(address in owner.content() for address in _ADDRESSES)
    (link,) = _LINK.findall(_letter_to(_ADDRESSES[0], product))
    person = visit().page
    person.goto(link)
    person.get_by_label("No", exact=True).check()
    person.get_by_role("button", name="Randomise and send").click()
    expect(person.get_by_text("Your report was counted.")).to_be_visible()
    owner.reload()
    expect(owner.get_by_role("heading", name="Estimates from 1 report")).to_be_visible()
