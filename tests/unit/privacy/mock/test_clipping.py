"""What clipping does to invented values: nothing inside, and no more the wider the bounds are."""

import pytest

from dpgov.privacy.mock.clipping import Shape, clipped


@pytest.mark.parametrize("shape", Shape)
def test_bounds_that_hold_everything_change_nothing(shape: Shape) -> None:
    found = clipped(-5, 300, least=-5, most=300, shape=shape)
    assert found.share == found.moved == 0


@pytest.mark.parametrize("shape", Shape)
def test_narrower_bounds_clip_more_and_move_the_mean_farther(shape: Shape) -> None:
    found = [clipped(0, high, least=0, most=300, shape=shape) for high in (50, 100, 200, 300)]
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
    assert [one.moved for one in found] == sorted((one.moved for one in found), reverse=True)
    assert found[0].share > found[-1].share


def test_the_widest_range_of_steps_is_counted_exactly() -> None:
    most = 2**53
    assert clipped(0, most, least=-most, most=most, shape=Shape.HILL).share > 0
