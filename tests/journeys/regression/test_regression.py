"""M3, M33: regressions in a browser: outcome and predictors are chosen, coefficients are read."""

import re

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems


def test_an_analyst_explains_hours_by_age_and_sex(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto("/datasets/adult-census-income/ask/")
    page.get_by_label("Statistic", exact=True).select_option("regression")
    page.get_by_label("of the column").select_option("hours_per_week")
    predictors = page.get_by_role("group", name="Predictors")
    predictors.get_by_label("age", exact=True).check()
    predictors.get_by_label("sex", exact=True).check()
    page.get_by_label("Privacy loss ε").fill("0.7")
    button = page.get_by_role("button", name="Ask for ε 0.7")
    expect(button).to_be_visible()
    window.picture("ask-regression")
    button.click()
    page.wait_for_url(re.compile("/queries/"))
    table = page.get_by_role("table", name="Coefficients: Regression of hours_per_week")
    expect(table).to_contain_text("sex is", timeout=30_000)
    expect(table.get_by_role("row")).to_have_count(4)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.get_by_text("Predict with it, in Python").click()
    expect(page.locator("pre code").first).to_contain_text("def predict(row):")
    window.picture("answer-regression")
    assert accessibility_problems(page) == []
    page.goto("/datasets/adult-census-income/ask/")
    page.get_by_label("Statistic", exact=True).select_option("logistic_regression")
    page.get_by_label("of the column").select_option("sex")
    predictors.get_by_label("age", exact=True).check()
    page.get_by_label("Privacy loss ε").fill("0.6")
    page.get_by_role("button", name="Ask for ε 0.6").click()
    page.wait_for_url(re.compile("/queries/"))
    table = page.get_by_role("table", name="Coefficients: Logistic regression of sex")
    expect(table).to_contain_text("Odds ratio", timeout=30_000)
    expect(table.get_by_role("row")).to_have_count(3)
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    assert accessibility_problems(page) == []
