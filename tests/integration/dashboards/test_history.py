"""The list of questions: what a filter finds, how it sorts, and the file that it exports."""

import csv
import io
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.tally import tally_round
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.dashboards.reading import column_of, page

ClientFor = Callable[[Membership], Client]


@pytest.mark.parametrize(
    ("search", "costs"),
    [
        ("", ["0.125", "1", "0.25", "0.5"]),
        ("state=waiting", ["0.125"]),
        ("state=released", ["1", "0.25", "0.5"]),
        ("state=failed", []),
        ("statistic=mean", ["0.25"]),
        ("statistic=histogram", ["1"]),
        ("statistic=count", ["0.125", "0.5"]),
        ("statistic=sum", []),
        ("statistic=median", []),
        ("since=2031-01-01", []),
        ("until=2000-01-01", []),
        ("sort=cost_nano", ["0.125", "0.25", "0.5", "1"]),
        ("sort=-cost_nano", ["1", "0.5", "0.25", "0.125"]),
        ("sort=state", ["0.125", "1", "0.25", "0.5"]),
        ("sort=visible_at", ["0.125", "1", "0.25", "0.5"]),
        ("page=99", ["0.125", "1", "0.25", "0.5"]),
        ("dataset=00000000-0000-0000-0000-000000000000", ["0.125", "1", "0.25", "0.5"]),
    ],
)
def test_a_search_finds_and_sorts(
    search: str, costs: list[str], in_use: list[Query], officer: Membership, client_for: ClientFor
) -> None:
    response = client_for(officer).get(reverse("dashboards:history") + f"?{search}")
    assert response.status_code == (422 if response.context["filter"].form.errors else 200)
    assert column_of(response, "cost_nano") == costs


@pytest.mark.parametrize(
    ("statistic", "costs"),
    [
        ("regression", ["0.5"]),
        ("logistic_regression", ["0.25"]),
        ("count", ["0.125"]),
        ("count_distinct", ["1"]),
        ("sum", ["0.125"]),
        ("histogram", []),
        ("cdf", []),
    ],
)
@pytest.mark.parametrize("counted", [False, True])
def test_a_statistic_is_not_found_under_the_name_of_another(
    statistic: str, costs: list[str], counted: bool, in_use: list[Query], paths: dict[str, str],
    owner: Membership, client_for: ClientFor,
) -> None:  # fmt: skip
    """Neither in the list nor in sums, nor what is asked beside it, nor what nobody asked."""
    kinds = ("regression", "logistic_regression", "count_distinct", "sum.count")
    for query, names in zip(in_use, kinds, strict=True):
        Query.objects.filter(pk=query.pk).update(kind=f"{names}-overall")
    if counted:
        assert tally_round() == 3
    browser, address = client_for(owner), {"statistic": statistic, "range": "all"}
    assert column_of(browser.get(reverse("dashboards:history"), address), "cost_nano") == costs
    total = sum(map(float, costs)) * NANO
    assert browser.get(paths["budget"], address).context["taken_nano"] == total
    assert browser.get(reverse("dashboards:portfolio"), address).status_code == 200


def test_a_kind_that_is_no_code_is_shown_as_it_is_and_leads_nowhere(
    in_use: list[Query], paths: dict[str, str], owner: Membership, client_for: ClientFor
) -> None:
    Query.objects.filter(pk=in_use[0].pk).update(kind="Histogram + sum by group")
    Query.objects.filter(pk=in_use[1].pk).update(kind="")
    browser = client_for(owner)
    shares = browser.get(paths["budget"]).context["by_mechanism"]
    assert {share.name: share.query for share in shares} == {
        "Histogram": "statistic=histogram-by_group",
        "Histogram + sum by group": "",
        "": "",
        "Count": "statistic=count-overall",
    }
    board = browser.get(reverse("dashboards:history"), {"by": "statistic"}).context["board"]
    words = [row.word for row in board.rows]
    assert words == ["", "Count", "Histogram", "Histogram + sum by group"]
    assert [row.word for row in board.rows if "statistic=" in row.href] == ["Count", "Histogram"]
    for row in board.rows:
        assert browser.get(reverse("dashboards:history") + row.href).status_code == 200


def test_a_search_by_dataset_and_analyst(
    in_use: list[Query],
    dataset: Dataset,
    analyst: Membership,
    officer: Membership,
    client_for: ClientFor,
) -> None:
    path = reverse("dashboards:history")
    html = page(client_for(officer), f"{path}?dataset={dataset.pk}&analyst={analyst.user_id}")
    assert html.count('class="state') == 2


def test_nothing_found_offers_the_way_back(
    in_use: list[Query], officer: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(officer), reverse("dashboards:history") + "?since=2031-01-01")
    assert "No question fits these filters" in html
    assert "Show all questions" in html


def test_the_list_looks_again_by_itself_as_long_as_a_question_on_it_waits(
    in_use: list[Query], officer: Membership, client_for: ClientFor,
    answer_all: Callable[[], int],
) -> None:  # fmt: skip
    browser, path = client_for(officer), reverse("dashboards:history")
    html = page(browser, f"{path}?sort=cost_nano")
    assert 'hx-get="/history/?sort=cost_nano"' in html
    assert "appear in this list by themselves" in html
    assert "by themselves" not in page(browser, f"{path}?state=released")
    answer_all()
    assert "by themselves" not in page(browser, path)


def test_what_the_list_asks_for_again_is_the_list_alone(
    in_use: list[Query], officer: Membership, client_for: ClientFor,
    answer_all: Callable[[], int],
) -> None:  # fmt: skip
    browser, path = client_for(officer), reverse("dashboards:history")
    asks = {"HX-Request": "true", "HX-Target": "div#questions"}
    waiting = browser.get(path, {"state": "waiting"}, headers=asks)
    assert column_of(waiting, "cost_nano") == ["0.125"]
    assert "<html" not in waiting.content.decode()
    answer_all()
    none_left = browser.get(path, {"state": "waiting"}, headers=asks).content.decode()
    assert "No question fits these filters" in none_left
    assert "hx-get" not in none_left


def test_a_date_that_is_none_is_said_at_its_field(
    in_use: list[Query], officer: Membership, client_for: ClientFor
) -> None:
    response = client_for(officer).get(reverse("dashboards:history"), {"since": "yesterday"})
    assert response.status_code == 422
    html = response.content.decode()
    assert "Enter a valid date." in html
    assert html.count('class="state') == 4


def test_the_file_holds_the_rows_that_the_page_shows(
    in_use: list[Query], analyst: Membership, client_for: ClientFor
) -> None:
    rows = _exported(client_for(analyst), "?statistic=mean")
    assert [(row["question"], row["epsilon"], row["state"]) for row in rows] == [
        ("Mean of age", "0.25", "released")
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_looks_like_a_formula_is_exported_as_text(
    start: str, ask: Ask, dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """I3: a spreadsheet shows the text instead of running it."""
    ask(analyst)
    type(analyst.user).objects.filter(pk=analyst.user_id).update(email=f"{start}cmd@example.org")
    Dataset.objects.filter(pk=dataset.pk).update(slug=f"{start}cmd")
    (row,) = _exported(client_for(analyst))
    assert row["analyst"] == f"'{start}cmd@example.org"
    assert row["dataset"] == f"'{start}cmd"


def _exported(client: Client, search: str = "") -> list[dict[str, str]]:
    response = client.get(reverse("dashboards:history_export") + search)
    assert response["Content-Disposition"] == 'attachment; filename="questions.csv"'
    return list(csv.DictReader(io.StringIO(b"".join(response).decode(), newline="")))
