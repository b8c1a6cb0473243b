"""Invented tables: stays in a hospital, a health survey, a register of vaccinations, infections.

Nobody in them exists. Each is some thousand lines of CSV, the same at every start.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

import numpy as np

from dpgov.demo.life.chance import Whole, among, around, below, waits

WARDS = ("Cardiology", "Geriatrics", "Maternity", "Neurology", "Paediatrics", "Surgery")
ADMISSIONS = ("Emergency", "Planned", "Transfer")
DISTRICTS = ("Harbour", "Hillside", "Old Town", "Riverside", "University")
HEALTH = ("Very good", "Good", "Fair", "Poor")
YES_NO = ("yes", "no")
INFECTIONS = ("none", "wound", "lung", "other")
VACCINES = ("Influenza", "Measles", "Tetanus")

FIRST_DAY = date(2023, 1, 1)
DAYS = 1_096
LAST_DAY = FIRST_DAY + timedelta(days=DAYS - 1)
MOST_STAYS = 6
_PATIENTS, _STAYS = 2_400, 5_600
_PEOPLE = 4_200
_DOSES = 3_100
_OPERATIONS = 1_600


def hospital_stays() -> bytes:
    """A line for each stay: the same patient may come back, at most MOST_STAYS times."""
    patient = below("stays patient", _STAYS, _PATIENTS)
    keep = _at_most(patient, MOST_STAYS)
    ward = among("stays ward", _STAYS, (20, 18, 14, 12, 11, 25))
    age = np.clip(around("stays age", _STAYS, 48, 62) + _ward_age(ward), 0, 105)
    # More in winter: of those drawn for a summer's day a third is drawn again.
    day = below("stays day", _STAYS, DAYS)
    again = below("stays day again", _STAYS, DAYS)
    summer = np.isin((day % 365) // 30, (5, 6, 7))
    day = np.where(summer & (below("stays summer", _STAYS, 3) == 0), again, day)
    rows = zip(
        (f"P{number:05d}" for number in patient),
        ((FIRST_DAY + timedelta(days=int(each))).isoformat() for each in day),
        _words(WARDS, ward),
        _words(ADMISSIONS, among("stays how", _STAYS, (45, 47, 8))),
        age,
        np.minimum(waits("stays days", _STAYS, 4.5), 60),
        450 + 10 * waits("stays cost", _STAYS, 310.0).clip(max=1_955),
        strict=True,
    )
    kept = [row for row, wanted in zip(rows, keep, strict=True) if wanted]
    return _csv(("patient", "admitted", "ward", "admission", "age", "days", "cost"), kept)


def hospital_stays_again() -> bytes:
    """The same without its last lines: what somebody hands in who has forgotten the first."""
    lines = hospital_stays().splitlines(keepends=True)
    return b"".join(lines[:-40])


def health_survey() -> bytes:
    """A line for each person asked."""
    age = np.clip(around("survey age", _PEOPLE, 46, 48), 18, 95)
    return _csv(
        ("age", "district", "health", "smokes", "visits", "sleep"),
        zip(
            age,
            _words(DISTRICTS, among("survey district", _PEOPLE, (30, 22, 17, 21, 10))),
            _words(HEALTH, among("survey health", _PEOPLE, (24, 46, 22, 8))),
            _words(YES_NO, among("survey smokes", _PEOPLE, (21, 79))),
            np.minimum(waits("survey visits", _PEOPLE, 3.2) - 1, 40),
            np.clip(around("survey sleep", _PEOPLE, 7, 4), 3, 12),
            strict=True,
        ),
    )


def vaccinations() -> bytes:
    """A line for each person of the register that another organisation keeps."""
    return _csv(
        ("birth_year", "district", "vaccine", "doses"),
        zip(
            1_930 + below("doses year", _DOSES, 90),
            _words(DISTRICTS, among("doses district", _DOSES, (30, 22, 17, 21, 10))),
            _words(VACCINES, among("doses vaccine", _DOSES, (50, 20, 30))),
            1 + below("doses number", _DOSES, 4),
            strict=True,
        ),
    )


def infections(hospital: str) -> bytes:
    """A line for each operation in one of the hospitals."""
    seed = f"infections {hospital}"
    return _csv(
        ("infection", "age", "days"),
        zip(
            _words(INFECTIONS, among(f"{seed} kind", _OPERATIONS, (88, 6, 4, 2))),
            np.clip(around(f"{seed} age", _OPERATIONS, 56, 40), 1, 98),
            np.minimum(waits(f"{seed} days", _OPERATIONS, 5.5), 60),
            strict=True,
        ),
    )


def _at_most(patient: Whole, most: int) -> list[bool]:
    seen: dict[int, int] = {}
    kept = []
    for each in patient.tolist():
        seen[each] = seen.get(each, 0) + 1
        kept.append(seen[each] <= most)
    return kept


def _ward_age(ward: Whole) -> Whole:
    shift = np.array([12, 26, -16, 6, -40, 0])
    moved: Whole = shift[ward]
    return moved


def _words(words: Sequence[str], places: Whole) -> list[str]:
    return [words[place] for place in places.tolist()]


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    lines = [",".join(header), *(",".join(map(str, row)) for row in rows)]
    return ("\n".join(lines) + "\n").encode()
