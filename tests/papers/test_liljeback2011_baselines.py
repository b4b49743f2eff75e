"""The paper's wave and adaptation against those of its reference [10]: one field, for a moment."""

import dataclasses

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.papers.liljeback2011 import baselines
from serpenoid.papers.liljeback2011.baselines import Crossing, Pairing, cross, scenario
from serpenoid.papers.outcome_file import read_outcome, write_outcome
from serpenoid.papers.paper import Failed, Results

KINDS = [item for item in baselines.experiments(quick=True)["baselines"].items if item.seed == 0]


def crossing(pairing: Pairing, reached: int, **more: object) -> Crossing:
    """An outcome with so many waypoints."""
    times = tuple(10.0 * k if k < reached else np.inf for k in range(5))
    return dataclasses.replace(Crossing(pairing, times, "", 0.05, 90.0, crossed=False), **more)


def test_all_kinds_share_their_field_and_differ_by_the_controller():
    scenarios = [scenario(kind, 1.0) for kind in KINDS]
    assert len(set(KINDS)) == 6
    assert all(each.world == scenarios[0].world for each in scenarios)
    assert all(each.robot == scenarios[0].robot for each in scenarios)
    parts = [each.controller.parts for each in scenarios]
    assert {type(each[0]) for each in parts} == {sp.Follower, sp.LeaderFollower}
    turning = {type(part) for each in parts for part in each[1:-1]}
    assert turning == {sp.Adaptation, sp.JamResolution}
    assert {each[0].delay for each in parts} == {0.7}
    assert all(each.controller.period == each.clock.time_step for each in scenarios)


def test_one_field_for_a_moment():
    found = [cross(kind, 2.0) for kind in KINDS]
    assert [each.pairing for each in found] == KINDS
    assert not any(each.stopped for each in found)
    assert all(0 < each.largest_deg < 180 for each in found)
    # What is not jammed yet does not turn links.
    assert found[0].largest_deg == found[2].largest_deg
    assert found[0].largest_deg != found[3].largest_deg


def test_other_resolutions():
    items = baselines.experiments()["baselines"].items
    assert {item.duration for item in items} == {2.0, 5.0, 10.0}
    assert len(items) == len(set(items)) == 6 * 100 + 3 * 20
    slow = next(item for item in items if item.duration == 10.0)
    assert slow.answer_words == "jam resolution, 10 s"
    limited = next(item for item in items if item.limit_deg)
    assert limited.answer_words == "jam resolution, limited to 23 deg"
    parts = [scenario(item).controller.parts[1] for item in (slow, limited)]
    assert [part.duration for part in parts] == [10.0, 5.0]
    assert [part.limit_deg for part in parts] == [None, 23.0]


def test_outcomes_are_kept(tmp_path):
    kept = crossing(KINDS[0], 3)
    write_outcome(tmp_path / "one", kept)
    assert read_outcome(tmp_path / "one") == kept


@pytest.mark.parametrize(
    ("more", "strictly"),
    [
        ({}, True),
        ({"crossed": True}, False),
        ({"largest_deg": 181.0}, False),
        ({"stopped": "x"}, False),
    ],
)
def test_strictly(more, strictly):
    run = crossing(KINDS[0], 5, **more)
    assert (run.passed, run.strictly) == (True, strictly)


def test_tables():
    """Predecessor-follower a waypoint further in every field, the last in one of them."""
    runs = [
        crossing(
            dataclasses.replace(kind, seed=seed),
            (4 if seed else 5) if kind.wave == "follower" else 3 + (kind.answer == "none" and seed),
        )
        for kind in KINDS
        for seed in (0, 1)
    ]
    results = Results({"baselines": runs})
    head, *rows = baselines._baseline_rows.rows(results)
    assert all(len(row) == len(head) for row in rows)
    assert rows[0][:3] == ["newton", "predecessor-follower", "none"]
    assert rows[0][3].startswith("4.5 (4.0 to 5.0)")
    assert rows[0][4].startswith("1 of 2 (9 to 91 %)")
    head, *rows = baselines._pair_rows.rows(results)
    assert all(len(row) == len(head) for row in rows)
    # Against the leader-follower wave, none: 5 - 3 and 4 - 4.
    assert rows[0][3:] == ["1", "1", "0", "+1.0 (+0.0 to +2.0)", "1", "0"]


def test_tables_need_runs():
    with pytest.raises(Failed):
        baselines._pair_rows.rows(Results({"baselines": [crossing(KINDS[0], 1)]}))
