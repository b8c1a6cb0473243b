"""Group privacy: both readings for 1 to 20 units, never better than the mathematics allows."""

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.explain.groups import SettingCost, certainties, group_readings, setting_cost
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency, Loss, Mode
from dpgov.privacy.mechanisms.draw import calibrated
from dpgov.privacy.noise.sensitivity import Sensitivity
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.tenants.models import Membership
from tests.integration.dashboards.reading import figure, page, trace
from tests.small_dataset import register_small_dataset

RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
ClientFor = Callable[[Membership], Client]


def test_twenty_sizes_at_fixed_noise_and_at_fixed_epsilon() -> None:
    """F13: kε at fixed noise; k times the noise at fixed ε."""
    readings = group_readings(limit_nano=3 * NANO, question_nano=NANO // 2, setting=1)
    assert [reading.size for reading in readings] == list(range(1, 21))
    assert [reading.budget_nano for reading in readings] == [3 * NANO * k for k in range(1, 21)]
    assert [reading.question_nano for reading in readings] == [NANO // 2 * k for k in range(1, 21)]
    assert [reading.noise_scale for reading in readings] == [2 * k for k in range(1, 21)]
    assert [reading.size for reading in readings if reading.is_setting] == [1]


def test_a_group_of_the_settings_size_has_the_booked_epsilon() -> None:
    readings = group_readings(limit_nano=NANO, question_nano=NANO, setting=3)
    by_size = {reading.size: reading for reading in readings}
    assert by_size[3].budget_nano == NANO
    assert by_size[6].budget_nano == 2 * NANO
    assert by_size[1].budget_nano * 3 >= NANO, "rounded against the reader"
    assert by_size[3].is_setting


def test_a_setting_above_twenty_has_a_row_of_its_own() -> None:
    readings = group_readings(limit_nano=NANO, question_nano=NANO, setting=50)
    assert readings[-1].size == 50
    assert readings[-1].is_setting


def test_a_delta_above_one_is_no_guarantee() -> None:
    """F13: the bound is said to be none, instead of a number above 1."""
    readings = group_readings(
        limit_nano=NANO, question_nano=NANO, setting=1, delta=Decimal("0.001")
    )
    shown = [reading.delta_text for reading in readings]
    assert shown[0] == "0.001"
    assert shown[-1] == "no guarantee"
    assert all(Decimal(text) <= 1 for text in shown if text != "no guarantee")


@pytest.mark.parametrize("currency", [PURE, RHO], ids=["epsilon", "rho"])
def test_larger_groups_are_never_told_to_be_safer(currency: Currency) -> None:
    """F13: one curve for a question and one for all answers, rounded up and never above 100%."""
    found = certainties(limit_nano=NANO, question_nano=NANO // 4, setting=2, currency=currency)
    assert [one.size for one in found] == list(range(1, 21))
    for small, large in pairwise(found):
        assert 50 < small.of_question <= large.of_question <= 100
        assert small.of_question <= small.of_all <= large.of_all <= 100


def test_a_group_of_the_settings_size_is_as_sure_as_the_booked_epsilon_says() -> None:
    """e / (1 + e) is 73.11% rounded up, for a group of three where noise is made for three."""
    found = certainties(limit_nano=NANO, question_nano=NANO, setting=3, currency=PURE)
    assert found[2].question_text == "73.11%"
    assert found[2].of_question == Decimal("73.11")


def test_another_setting_costs_noise_and_under_rho_the_square_in_questions() -> None:
    """F13: of Gaussian noise; at a large price it grows more slowly, so that less is saved."""
    assert _setting_cost(4, 1, PURE) == SettingCost(Decimal(4), 25)
    assert _setting_cost(4, 1, RHO) == SettingCost(Decimal(4), 6)
    assert _setting_cost(1, 4, PURE) == SettingCost(Decimal("0.25"), 400)
    assert _setting_cost(3, 2, PURE) == SettingCost(Decimal("1.5"), 66)
    assert _setting_cost(1, 4, RHO, nano=NANO // 100).questions in (1599, 1600)
    assert _setting_cost(1, 4, RHO, nano=10 * NANO).questions < 1200
    too_little = _setting_cost(1, 4, RHO, nano=1, rows=10**12)
    assert too_little.questions == 1600


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("nano", [1_000, NANO // 100, NANO, 20 * NANO])
def test_so_many_questions_with_the_same_error_do_fit(nano: int, rows: int) -> None:
    """F13: what the page promises of another setting, with the noise that questions get."""
    for size, setting in ((1, 2), (1, 4), (3, 4), (5, 20), (4, 1), (20, 3)):
        cost = _setting_cost(size, setting, RHO, nano=nano, rows=rows)
        price = 100 * nano // cost.questions if cost.questions else None
        errors = [
            calibrated(Sensitivity(k * rows, (k * rows) ** 2), Loss(Mode.ZCDP, each))[0].variance
            for k, each in ((setting, nano), (size, price or 0))
            if each
        ]
        assert not price or errors[1] <= errors[0] * 1.000001


def _setting_cost(
    size: int, setting: int, currency: Currency, *, nano: int = NANO // 10, rows: int = 1
) -> SettingCost:
    return setting_cost(size, setting, currency, question_nano=nano, rows_per_unit=rows)


def test_the_slider_works_as_a_form(
    dataset: Dataset, paths: dict[str, str], analyst: Membership, client_for: ClientFor
) -> None:
    browser = client_for(analyst)
    said = " ".join(page(browser, paths["group_privacy"]).split())
    assert "Any 4 rows together: who was" in said
    said = " ".join(page(browser, f"{paths['group_privacy']}?size=7&epsilon=0.1").split())
    assert "Any 7 rows together: who was 50% sure whether they are in the data may become" in said
    assert "may become at most 66.82% sure after one" in said
    assert "and more than 99.99% sure once the whole budget is spent" in said
    assert "noise 7 times as wide at the same price; with the same error, 14 questions" in said
    for nonsense in ("0", "99999", "-1", "x"):
        assert "Any 4 rows together: who was" in page(
            browser, f"{paths['group_privacy']}?size={nonsense}"
        )


def test_where_presence_is_hidden_each_bound_says_that_it_is_about_presence(
    owner: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """F13: another value of theirs is two steps away, of which the bound does not hold."""
    names = ("is in the data becomes at most this sure", "of their presence after")
    for asker, relation in ((owner, Neighbouring.ADD_REMOVE), (stranger, Neighbouring.CHANGE_ONE)):
        made = register_small_dataset(asker, name="Visits", neighbouring=relation)
        address, hides = reverse("explain:group_privacy", args=[made.slug]), asker == owner
        said = " ".join(page(client_for(asker), address).split())
        assert [name in said for name in names] == [hides, hides]
        assert ("who was 50% sure whether they are in the data" in said) is hides


def test_the_page_marks_the_setting_and_says_what_is_protected(
    dataset: Dataset, paths: dict[str, str], analyst: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(analyst), paths["group_privacy"])
    assert trace(html, "certainty", "one question")["x"] == list(range(1, 21))
    assert len(trace(html, "certainty", "all answers")["y"]) == 20
    assert html.count("is-current") == 1
    assert "What the guarantee means for one row, and for groups" in " ".join(html.split())
    assert "Protected is whether one row is in the data at all." in " ".join(html.split())
    assert "7.39" in html, "e² for one question of ε 2"


def test_a_large_budget_is_not_dressed_up(
    dataset: Dataset, paths: dict[str, str], analyst: Membership, client_for: ClientFor
) -> None:
    """F13: with an ε of 1000 the page still promises nothing that does not hold."""
    html = page(client_for(analyst), f"{paths['group_privacy']}?epsilon=1000")
    assert "more than a million" in html
    assert "more than 99.99%" in html
    assert max(figure(html, "certainty")["data"][1]["y"]) <= 100


def test_an_epsilon_is_read_as_the_page_spells_it(
    dataset: Dataset, paths: dict[str, str], analyst: Membership, client_for: ClientFor
) -> None:
    """A comma marks decimals in German."""
    browser = client_for(analyst)
    english = figure(page(browser, f"{paths['group_privacy']}?epsilon=0.5"), "certainty")
    browser.cookies["django_language"] = "de"
    german = page(browser, f"{paths['group_privacy']}?epsilon=0,5")
    assert 'aria-invalid="true"' not in german
    for one, other in zip(figure(german, "certainty")["data"], english["data"], strict=True):
        assert one["y"] == other["y"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0", "above zero"),
        ("-1", "above zero"),
        ("nan", "plain decimal"),
        ("1e-400", "at least"),
        ("1001", "at most 1000"),
        ("<script>alert(1)</script>", "plain decimal"),
    ],
)
def test_an_impossible_epsilon_is_said_at_the_field(
    typed: str,
    said: str,
    dataset: Dataset,
    paths: dict[str, str],
    analyst: Membership,
    client_for: ClientFor,
) -> None:
    response = client_for(analyst).get(paths["group_privacy"], {"epsilon": typed})
    assert response.status_code == 422
    assert said in str(response.context["form"].errors["epsilon"])
    assert "<script>alert" not in response.content.decode()
