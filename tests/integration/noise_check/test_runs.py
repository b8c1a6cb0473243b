"""The noise check: it passes honest mechanisms, catches others, and says when it cannot tell."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opendp.mod import Measurement

from dpgov.noise_check.cases import CASES, SURVEYS, TITLES
from dpgov.noise_check.findings import Finding, Verdict
from dpgov.noise_check.measuring import measure
from dpgov.noise_check.reports import measure_reports
from dpgov.noise_check.run import check
from dpgov.noise_check.tables import TableFiles, table_files
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.joint import noise, total
from dpgov.privacy.joint.noise import Shares
from dpgov.privacy.local.randomiser import for_epsilon
from dpgov.privacy.mechanisms import draw
from dpgov.privacy.mechanisms.totals import Total
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.noise.sensitivity import Sensitivity

# Enough to catch noise that is 1.3 times too small; ρ takes more than ε.
TRIALS = {Mode.PURE: 12_000, Mode.ZCDP: 20_000}


@pytest.fixture(scope="module")
def files() -> Iterator[TableFiles]:
    with table_files() as found:
        yield found


def found_of(name: str, mode: Mode, files: TableFiles, trials: int = 0) -> Finding:
    return measure(CASES[name], mode, trials or TRIALS[mode], files)


@pytest.fixture
def times_too_small(request: pytest.FixtureRequest) -> float:
    """How many times noise is smaller than is paid for, where a test does not say."""
    return float(getattr(request, "param", 1.3))


@pytest.fixture
def too_little_noise(monkeypatch: pytest.MonkeyPatch, times_too_small: float) -> None:
    """Numbers with less noise than is paid for, a party's share too; choices with a fifth of it."""
    calibrated, choice, shares_for = draw.calibrated, sampling.choice, noise.shares_for

    def weaker(reach: Sensitivity, loss: Loss) -> tuple[Noise, Measurement]:
        paid = calibrated(reach, loss)[0]
        smaller = replace(paid, scale=paid.scale / times_too_small)
        gaussian = paid.kind is NoiseKind.GAUSSIAN
        build = sampling.gaussian_of if gaussian else sampling.laplace_of
        return smaller, build(smaller.scale)

    def bolder(sensitivity: int, loss: Loss) -> tuple[float, Measurement]:
        scale = choice(sensitivity, loss)[0] / 5
        return scale, sampling.choice_of(scale, loss.mode)

    def quieter(**asked: int) -> Shares:
        paid = shares_for(**asked)
        return replace(paid, scale=paid.scale / times_too_small)

    monkeypatch.setattr(draw, "calibrated", weaker)
    monkeypatch.setattr(sampling, "choice", bolder)
    monkeypatch.setattr(total, "shares_for", quieter)


@pytest.mark.parametrize("name", ["count", "count_distinct", "distinct_values"])
def test_an_honest_mechanism_is_found_fine_and_its_control_is_caught(
    name: str, files: TableFiles
) -> None:
    """C1, through ingest, engine, blueprint, noise and release."""
    finding = found_of(name, Mode.PURE, files)
    assert finding.verdict is Verdict.FINE
    assert finding.claim * 0.7 < finding.bound <= finding.claim < finding.control
    assert finding.whole > 0


def test_adaptive_rounds_are_found_fine_and_their_control_is_caught(files: TableFiles) -> None:
    """C1: choices, draws and the fits between them, the first and last as whole releases."""
    finding = found_of("adaptive", Mode.PURE, files, 16_000)
    assert finding.verdict is Verdict.FINE
    assert 0 < finding.bound <= finding.claim < finding.control


@pytest.mark.parametrize("mode", Mode)
def test_noise_that_is_too_small_is_caught(
    mode: Mode, files: TableFiles, too_little_noise: None
) -> None:
    """C1, negative control: 1.3 times smaller than is paid for."""
    assert found_of("count", mode, files).verdict is Verdict.BROKEN


@pytest.mark.parametrize(
    ("name", "mode", "times_too_small", "trials"),
    [
        ("table_set", Mode.PURE, 2, 4_000),
        ("derived", Mode.PURE, 2, 6_000),
        ("joint", Mode.ZCDP, 2, 6_000),
        ("regression_per_person", Mode.ZCDP, 3, 4_000),
        ("logistic_regression", Mode.ZCDP, 3, 1_000),
        ("logistic_regression_per_person", Mode.PURE, 5, 8_000),
    ],
    indirect=["times_too_small"],
)
def test_too_little_noise_of_another_way_is_caught(
    name: str, mode: Mode, trials: int, files: TableFiles, too_little_noise: None
) -> None:
    """C1, M2, M32, M62, M80, negative control: as coarse as few answers show without luck."""
    assert found_of(name, mode, files, trials).verdict is Verdict.BROKEN


def test_a_choice_that_is_too_sure_is_caught(files: TableFiles, too_little_noise: None) -> None:
    """C1, negative control: of noisy choices, so coarse that few answers show it."""
    assert found_of("max", Mode.ZCDP, files, 12_000).verdict is Verdict.BROKEN


def test_an_exact_number_beside_honest_noise_is_caught(
    files: TableFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C4: the noisy integers are right, but the value that is shown is not made of them."""
    honest = Total.run

    def leaking(self: Total, table: Any) -> Any:
        drawn = honest(self, table)
        (column,) = drawn.columns
        exact = [self.taken.readings[0].exact(cell) for cell in table]
        pairs = zip(column.cells, exact, strict=True)
        cells = tuple({**cell, "value": number} for cell, number in pairs)
        return replace(drawn, columns=(replace(column, cells=cells),))

    monkeypatch.setattr(Total, "run", leaking)
    assert found_of("count", Mode.PURE, files, 500).verdict is Verdict.BROKEN


def test_too_few_answers_to_catch_the_control_say_cannot_tell(files: TableFiles) -> None:
    finding = found_of("count", Mode.PURE, files, 100)
    assert not finding.caught
    assert finding.verdict is Verdict.CANNOT_TELL


@pytest.mark.parametrize("name", CASES)
def test_every_line_can_be_audited_in_each_of_its_modes(name: str, files: TableFiles) -> None:
    """No honest mechanism is accused, however few the answers."""
    for mode in CASES[name].modes:
        finding = found_of(name, mode, files, 150)
        assert finding.bound <= finding.claim
        assert finding.as_json()["verdict"] == finding.verdict.value


def test_reports_of_a_survey_are_found_fine_and_their_control_is_caught() -> None:
    """C1, M1: as the command line draws them, so many that no luck is needed."""
    finding = measure_reports(SURVEYS["survey"], 20_000)
    assert finding.verdict is Verdict.FINE
    assert finding.claim * 0.85 < finding.bound <= finding.claim < finding.control


def test_a_survey_that_tells_the_truth_too_often_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """C1, M1, negative control: thresholds of 1.5 times the ε that is charged."""
    bolder = "dpgov.noise_check.reports.for_epsilon"
    monkeypatch.setattr(bolder, lambda answers, nano: for_epsilon(answers, nano * 3 // 2))
    assert measure_reports(SURVEYS["survey"], 6_000).verdict is Verdict.BROKEN


def test_every_kind_of_survey_has_a_line_in_epsilon_alone() -> None:
    """Few reports accuse nobody; the control is randomised in the way of the claim."""
    found = list(check(list(SURVEYS), 600))
    assert [(finding.name, finding.mode) for finding in found] == [
        ("survey", "pure"),
        ("survey_bits", "pure"),
    ]
    assert all(finding.bound <= finding.claim for finding in found)
    for case in SURVEYS.values():
        kinds = {
            for_epsilon(case.answers, int(epsilon * NANO)).kind
            for epsilon in (case.claim, case.claim * case.weakened)
        }
        assert len(kinds) == 1
    assert set(TITLES) == {*CASES, *SURVEYS}


def test_one_that_cannot_be_run_is_told_and_does_not_end_the_run(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.DPGOV_INGEST_SECONDS = 0
    findings = list(check(["count"], 500))
    assert [finding.verdict for finding in findings] == [Verdict.CANNOT_TELL] * 2
    assert all(finding.outcome == "could not be run: RefusedFile" for finding in findings)


def test_nothing_is_left_of_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert len(list(check(["count"], 150))) == len(Mode)
    assert list(tmp_path.iterdir()) == []
