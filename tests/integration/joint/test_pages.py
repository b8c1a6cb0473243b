"""M46: three organisations propose, enter the code, approve and read one total on their pages.

What could leak: a page that shows another organisation's dataset, its moment or its share.
"""

import csv
import re
from collections.abc import Callable

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from dpgov.approvals.models import ChangeRequest
from dpgov.datasets.services import add_version, receive_upload
from dpgov.joint.models import JointQuestion, Party
from dpgov.joint.services import joint_round
from dpgov.joint.wording import JointQuote
from dpgov.oversight.background import background_of
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.schema import MissingRule
from dpgov.queries.asking.once import InvalidKey, check_key
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.joint.before import chosen, typed
from tests.integration.joint.made import Side, asked, joined, look, proposed, query_of
from tests.small_dataset import COLUMNS, SEXES, csv_of

SignIn = Callable[[Membership], Client]


def _text(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def _propose(client: Client) -> str:
    """The code, from the page that shows it this once."""
    response = client.post(reverse("joint:new"), typed() | {"dataset": "visits"})
    found = re.search(r"<code[^>]*>([A-Z2-7-]{29})</code>", response.content.decode())
    assert found is not None
    return found[1]


def _approve(client: Client, change: ChangeRequest) -> None:
    address = reverse("oversight:approve", args=[change.pk])
    assert client.post(address, {"reason": "fits"}).status_code == 302


def test_a_dataset_that_is_declared_otherwise_since_keeps_its_page_and_price(
    sides: list[Side], client_for: SignIn
) -> None:
    """M46: what the party joined with is what it adds up and pays for."""
    one = sides[0]
    question, code = proposed(one)
    joined(one, question, code)
    address, browser = reverse("joint:detail", args=[question.pk]), client_for(one.owner)
    before = browser.get(address).context["price"]
    sexes = column_spec("sex", category_domain([*SEXES, "Other"]), MissingRule.DROP, "")
    columns = tuple(sexes if column.name == "sex" else column for column in COLUMNS)
    with acting_for(one.tenant.pk):
        upload = receive_upload(
            tenant=one.tenant,
            uploader=one.owner.user,
            name="more.csv",
            chunks=[csv_of(one.tenant.slug).encode()],
        )
        add_version(dataset=one.dataset, upload=upload, columns=columns, user=one.owner.user)
    after = browser.get(address)
    assert (after.status_code, after.context["price"]) == (200, before)


def test_a_client_cannot_take_the_key_of_a_joint_question(sides: list[Side]) -> None:
    """M46: nor find its own key taken: no key of a client holds a space."""
    question, code = proposed(sides[0])
    joined(sides[0], question, code)
    with pytest.raises(InvalidKey):
        check_key(query_of(sides[0], question).idempotency_key)


@pytest.mark.parametrize(
    ("error", "pooled", "shown"),
    [(0, 0, "no error"), (1, 0, "± 1"), (12, 10, "± 10 (1.22 times as exact)")],
)
def test_an_error_of_nothing_is_said_in_words_and_has_no_ratio(
    error: int, pooled: int, shown: str
) -> None:
    """M46: at a price at which noise is nearly never there."""
    price = JointQuote("1000", error, pooled, 1.2247)
    said = " ".join(render_to_string("joint/_price.html", {"price": price}).split())
    assert shown in said
    assert "± 0" not in said
    assert ("times as exact" in said) is (pooled > 0)


def test_three_organisations_do_it_all_on_pages(sides: list[Side], client_for: SignIn) -> None:
    """M46: from a proposal to the same numbers in three browsers."""
    owners = [client_for(one.owner) for one in sides]
    code = _propose(owners[0])
    question = JointQuestion.objects.get()
    assert "does not take part yet" in _text(owners[0], "joint:detail", question.pk)
    body = chosen() | {"dataset": "visits"}
    owners[0].post(reverse("joint:join", args=[question.pk]), body)
    for owner in owners[1:]:
        offer = owner.post(reverse("joint:code"), {"code": code.lower()}).content.decode()
        assert "Alpha Institute" in offer
        assert owner.post(reverse("joint:code"), body | {"code": code}).status_code == 302
    for one in sides:
        page = _text(client_for(one.officer), "oversight:approval", _change(one).pk)
        assert "wrong numbers cannot be found" in page
        _approve(client_for(one.officer), _change(one))
    assert "Waiting for the workers of" in _text(owners[1], "joint:detail", question.pk)
    look(sides), joint_round()
    page = _text(owners[1], "joint:detail", question.pk)
    assert "Opened and charged" in page
    assert "1.22 times as exact" in page
    look(sides), joint_round(), publish_now()
    shown = set()
    for one, owner in zip(sides, owners, strict=True):
        assert "the same total went to all" in _text(owner, "joint:detail", question.pk)
        answer = _text(owner, "queries:detail", query_of(one, question).pk)
        assert "the total of 3 organisations, of whom 1 may collude" in answer
        assert "and 2 other organisations together" in answer
        _say_how_many(owner, client_for(one.officer), str(query_of(one, question).pk))
        shown.add(re.search(r"[^.]*<table.*?</table>", answer).group())  # type: ignore[union-attr]
        assert "Receipt" in answer
        assert question.title in _text(owner, "joint:list")
    assert len(shown) == 1


def test_two_persons_are_shown_all_that_is_asked_before_they_agree(
    sides: list[Side], client_for: SignIn
) -> None:
    """M46: what is released and charged, with its clipping and every group; and of which budget."""
    plan = {
        "statistics": [{"statistic": "sum", "column": "age", "clip": {"from": 0, "to": 10}}],
        "group_by": [{"column": "sex", "categories": ["Male", "Female"]}],
        "rho": 0.4,
    }
    words = "Sum of age, clipped to 0 to 10 by sex (Male, Female)"
    first, second = sides[:2]
    question, code = proposed(first, plan)
    address = reverse("joint:detail", args=[question.pk])
    offer = client_for(second.owner).post(reverse("joint:code"), {"code": code})
    assert words in offer.content.decode()
    assert words in client_for(first.owner).get(address).content.decode()
    assert "clipped to 0 to 10" in _text(client_for(first.owner), "joint:list")
    for one, linked in ((first, True), (second, False)):
        request = asked(one, question, code)
        page = _text(client_for(one.officer), "oversight:approval", request.pk)
        assert words in page
        # Only who proposed it, or is in it, sees its page.
        assert (f'href="{address}"' in page) == linked
        around = background_of(request)
        assert around.budget == one.dataset.budget
        assert [what for what, _ in around.lineage][:2] == ["Dataset", "Budget"]


def test_a_refused_request_to_take_part_is_still_there(
    sides: list[Side], client_for: SignIn
) -> None:
    """M46: the code works, the officer has been asked before: what was typed stays."""
    owners = [client_for(one.owner) for one in sides]
    body = chosen() | {"dataset": "visits", "code": _propose(owners[0])}
    assert owners[1].post(reverse("joint:code"), body).status_code == 302
    refused = owners[1].post(reverse("joint:code"), body | {"reason": "once more, please"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert 'role="alert"' in page
    assert "once more, please" in page
    assert '<option value="visits" selected>' in page
    assert body["code"] in page


def _say_how_many(owner: Client, officer: Client, query_id: str) -> None:
    """M46: the files of an answer, of the questions and of the month; and no other organisation."""
    found = [
        owner.get(reverse("queries:download", args=[query_id, "csv"])),
        owner.get(reverse("dashboards:history_export")),
        officer.get(reverse("oversight:month_csv")),
    ]
    files = [b"".join(one).decode() for one in found]
    for text in files[:2]:
        heading, line = text.splitlines()[:2]
        assert heading.endswith(",organisations,may_collude")
        assert line.endswith(",3,1")
    month = next(csv.DictReader(files[2].splitlines()))
    assert (month["about"], month["joint"]) == ("dataset", "1")
    assert not re.search("Alpha|Beta|Gamma", "".join(files))


def test_its_end_is_told_with_the_zone_whose_hour_it_is(
    sides: list[Side], client_for: SignIn
) -> None:
    """M46: where the installation's hour is not that of UTC."""
    owner = client_for(sides[0].owner)
    _propose(owner)
    question = JointQuestion.objects.get()
    with timezone.override("Asia/Tokyo"):
        moment = date_format(timezone.localtime(question.expires_at), "j F Y, H:i")
        page = _text(owner, "joint:detail", question.pk)
    assert f"It ends on {moment} JST if someone is missing then." in page


def test_groups_are_categories_or_ranges_of_numbers(sides: list[Side], client_for: SignIn) -> None:
    """M46: edges of one's own, those of the declared bounds, and none where they mean nothing."""
    owner = client_for(sides[0].owner)
    body = typed() | {"dataset": "visits", "group": "age"}
    for edges, status, found in (
        ("40, 20", 422, []),
        ("a, b", 422, []),
        ("20, 40, 60", 200, [[20, 40, 60]]),
        ("", 200, [[*range(0, 101, 10)], [20, 40, 60]]),
    ):
        response = owner.post(reverse("joint:new"), body | {"edges": edges})
        assert response.status_code == status
        assert ('id="id_edges_error"' in response.content.decode()) == (status == 422)
        plans = JointQuestion.objects.order_by("-proposed_at").values_list("plan", flat=True)
        assert [plan["group_by"][0]["edges"] for plan in plans] == found
    refused = owner.post(reverse("joint:new"), body | {"group": "sex", "edges": "1, 2"})
    assert "Only columns of numbers" in refused.content.decode()


def _change(one: Side) -> ChangeRequest:
    return ChangeRequest.objects.get(tenant=one.tenant)


def test_what_cannot_be_is_said_on_the_page_and_keeps_what_was_typed(
    sides: list[Side], client_for: SignIn
) -> None:
    """M46: two organisations, a price that is none, a code that is none, a dataset that is pure."""
    owner = client_for(sides[0].owner)
    for change, why in (
        ({"parties": "2"}, "two separate answers do the same"),
        ({"colluders": "2"}, "a separate answer of each"),
        ({"rho": "much"}, "plain decimal number"),
        ({"title": " "}, "required"),
        ({"rho": "99"}, "One question on this dataset may cost at most"),
    ):
        response = owner.post(reverse("joint:new"), typed() | {"dataset": "visits"} | change)
        assert response.status_code == 422
        assert why in response.content.decode()
    assert JointQuestion.objects.count() == 0
    refused = owner.post(reverse("joint:code"), {"code": "ABCD-EFGH"})
    assert refused.status_code == 422
    assert "This code does not work" in refused.content.decode()
    assert "Visits" in _text(owner, "joint:new")


def test_leaving_ends_it_for_everybody(sides: list[Side], client_for: SignIn) -> None:
    """M46: on the page of the one who leaves, and on those of the others."""
    owner = client_for(sides[0].owner)
    _propose(owner)
    question = JointQuestion.objects.get()
    owner.post(reverse("joint:join", args=[question.pk]), chosen() | {"dataset": "visits"})
    _approve(client_for(sides[0].officer), _change(sides[0]))
    assert "Leave for good" in _text(owner, "joint:detail", question.pk)
    left = owner.post(reverse("joint:leave", args=[question.pk]), follow=True)
    assert "Ended before it was opened" in left.content.decode()
    again = owner.post(reverse("joint:leave", args=[question.pk]))
    assert again.status_code == 422
    assert Party.objects.count() == 1
    elsewhere = client_for(sides[1].owner)
    assert elsewhere.get(reverse("joint:detail", args=[question.pk])).status_code == 404
