"""Many joint answers, as those who collude learn them: shares, masks and the total.

The colluders take away what is their own, rows and noise: here they have none of either. What is
left to them is the sum of the honest, of whom one has the table and the others are without rows.
"""

import secrets
from dataclasses import replace

import numpy as np

from dpgov.noise_check.answers import Answers, framed, portions
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.release import Engine, counted
from dpgov.privacy.joint.masks import (
    as_bytes,
    from_bytes,
    mask_of,
    masked,
    public_key_of,
    total_of,
)
from dpgov.privacy.joint.total import Joint, joint_of
from dpgov.privacy.plan.request import ExactAnswer

_KEY_BYTES = 32


def joint_answers(
    blueprint: Blueprint, parties: tuple[int, int], engine: Engine, trials: int, whole: int
) -> Answers:
    """So many totals, of which `whole` are put together and released one by one."""
    organisations, colluders = parties
    joint = joint_of(blueprint, parties=organisations, colluders=colluders)
    exact = [engine(request) for request in blueprint.requests]
    return framed(
        [_released(joint, exact) for _ in range(whole)],
        [_totals(joint, exact, count) for count in portions(trials - whole)],
    )


def _released(joint: Joint, exact: list[ExactAnswer]) -> Answers:
    total = _total(joint, joint.noisy(exact))
    body = joint.release(total, question=secrets.token_hex(8))
    (column,) = body["statistics"]
    return Answers(
        np.array(body["draws"][0]["cells"], dtype=np.float64),
        np.array([[cell["value"] for cell in column["cells"]]], dtype=np.float64),
    )


def _totals(joint: Joint, exact: list[ExactAnswer], count: int) -> Answers:
    """Of so many answers, each a cell of its own."""
    ((cell,),), (reading,) = counted(joint.blueprint, exact), joint.total.taken.readings
    many = replace(joint, shares=replace(joint.shares, cells=count))
    found = _total(many, many.shares.add_noise([reading.exact(cell)] * count))
    raw = np.array(found, dtype=np.float64).reshape(count, 1)
    return Answers(raw, raw)


def _total(joint: Joint, share: list[int]) -> list[int]:
    """What everybody reads once all have sent theirs, as bytes, each under its mask."""
    shares, nothing = joint.shares, [0] * joint.shares.cells
    others = shares.parties - shares.colluders - 1
    sent = [
        *[nothing] * shares.colluders,
        share,
        *(shares.add_noise(nothing) for _ in range(others)),
    ]
    private = [secrets.token_bytes(_KEY_BYTES) for _ in sent]
    keys, question = [public_key_of(key) for key in private], secrets.token_bytes(_KEY_BYTES)
    stored = [
        as_bytes(masked(values, _mask(place, private[place], keys, question, shares.cells)))
        for place, values in enumerate(sent)
    ]
    return total_of([from_bytes(text) for text in stored], shares.parties)


def _mask(place: int, private: bytes, keys: list[bytes], question: bytes, cells: int) -> list[int]:
    return mask_of(private=private, place=place, keys=keys, question=question, cells=cells)
