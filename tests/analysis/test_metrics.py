"""Metrics of runs."""

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis import energy, metrics
from serpenoid.analysis.metrics import METRICS, certificate, metric
from serpenoid.errors import InvalidInput
from serpenoid.studies import Optimisation, Search, Study, study_table, sweep
from serpenoid.studies.run_parts import without_beginning

# Two cycles of the gait and a bit.
SHORT = {"clock.duration": 10.0}
PERIOD = 4.5


@pytest.fixture(scope="module")
def run():
    return sp.Scenario.load("aiko_pegs", SHORT).run()


def measured(name, run):
    return METRICS[name].measure(run)


def over_the_settled(run, values):
    """Change of values over the last whole cycle, the only one after the first."""
    return np.interp(10.0, run.time, values) - np.interp(10.0 - PERIOD, run.time, values)


def test_motion(run):
    centre = run.centre_of_mass()
    length = np.linalg.norm(centre[-1] - centre[0])
    assert measured("displacement", run) == pytest.approx(length)
    angle = run.columns["theta"].mean(axis=1)
    turn = over_the_settled(run, angle)
    assert measured("turn_rate", run) == pytest.approx(turn / PERIOD)
    chord = np.hypot(*(over_the_settled(run, axis) for axis in centre.T))
    arc = chord * (turn / 2) / np.sin(turn / 2)
    assert measured("mean_speed", run) == pytest.approx(arc / PERIOD)
    # The rows before the last two cycles count as the crow flies.
    middle = np.array([np.interp(1.0, run.time, axis) for axis in centre.T])
    assert length < measured("distance", run) < 1.1 * length
    assert measured("distance", run) > np.linalg.norm(middle - centre[0]) + arc


def test_works(run):
    net, positive = measured("actuator_work", run), measured("positive_work", run)
    absolute = measured("absolute_work", run)
    assert net == run.energy()["actuator"]
    settled = over_the_settled(run, run.columns["energy_actuator"])
    assert measured("mean_power", run) == pytest.approx(settled / PERIOD)
    assert 0 < net < positive < absolute
    # Driving less braking is the net work, to what rows of 10 ms resolve.
    assert 2 * positive - absolute == pytest.approx(net, rel=0.02)
    lost = run.energy()
    assert measured("friction_work", run) == -lost["friction"] - lost["damping"] > 0
    weight = sum(link.mass for link in run.robot.links) * 9.81
    spent = measured("mean_positive_power", run) / (weight * measured("mean_speed", run))
    assert measured("cost_of_transport", run) == pytest.approx(spent)


def test_what_gaits_are_compared_by():
    run = sp.Scenario.load("swimmer").run()
    later = without_beginning(run, 5.0)
    cycles = energy.cycles(later)
    # Five whole cycles are left, of the ten seconds.
    assert len(cycles.net) == 5
    assert measured("mean_positive_power", later) == pytest.approx(cycles.positive.sum() / 10.0)
    speed, power = measured("mean_speed", later), measured("mean_power", later)
    assert speed == pytest.approx(cycles.path.sum() / 10.0)
    assert measured("specific_power", later) == pytest.approx(power / (3.0 * speed**2))
    assert measured("efficiency", later) == pytest.approx(10 * 0.3 * speed**2 / power)
    assert measured("path_curvature", later) == pytest.approx(cycles.curvature[-1], rel=1e-3)
    off = later.columns["joint_angle"] - later.columns["joint_reference"]
    assert measured("tracking_error", later) == pytest.approx(np.sqrt((off**2).mean()), rel=1e-2)


def test_loads(run):
    force = run.columns["contact_force"]
    assert measured("peak_contact_force", run) == np.sqrt((force**2).sum(axis=2)).max() > 0
    assert measured("peak_torque", run) == np.abs(run.columns["joint_torque"]).max() > 0


def test_paths():
    run = sp.Scenario.load("waypoints").run()
    reached = measured("waypoints_reached", run)
    assert reached == np.isfinite(sp.analysis.following.waypoint_times(run)).sum() > 0
    assert measured("jammed_time", run) == 0.0
    later = without_beginning(run, 5.0)
    assert measured("waypoints_reached", later) == reached
    # The path still begins where the robot started.
    whole, rest = (sp.analysis.following.cross_track(each) for each in (run, later))
    np.testing.assert_allclose(rest, whole[-len(rest) :], rtol=0, atol=1e-12)
    again = without_beginning(later, 2.0)
    np.testing.assert_array_equal(
        sp.analysis.following.find_path(again).corners,
        sp.analysis.following.find_path(run).corners,
    )
    with pytest.raises(
        InvalidInput, match=r"^jammed_time needs at least 10 s; this run lasts 5 s$"
    ):
        measured("jammed_time", without_beginning(run, run.time[-1] - 5.0))


def test_a_robot_that_does_not_get_on_is_jammed():
    """It pushes against nothing: there is no friction, and its centre of mass stays."""
    base = sp.Scenario.load("waypoints", {"clock.duration": 12.0})
    robot, _ = base.built
    run = sp.simulate(robot, sp.World(), base.controller, 12.0)
    assert measured("jammed_time", run) == pytest.approx(12.0)
    assert measured("waypoints_reached", run) == 0.0


def test_forward_velocity(run):
    mass = np.array([link.mass for link in run.robot.links])
    angle = run.columns["theta"].mean(axis=1)
    forward = run.columns["vx"].T * np.cos(angle) + run.columns["vy"].T * np.sin(angle)
    values = mass @ forward / mass.sum()
    means = (values[550:-1] + values[551:]) / 2
    assert measured("forward_velocity", run) == pytest.approx(means.mean(), rel=1e-9)


def test_a_robot_that_stays_where_it_is():
    link = {"length": 0.1, "mass": 1.0, "radius": 0.02}
    run = sp.simulate(sp.Robot.uniform(1, **link), sp.World(friction=sp.Coulomb(0.2)), None, 0.1)
    assert measured("peak_torque", run) == measured("positive_work", run) == 0
    assert math.isnan(measured("cost_of_transport", run))


def test_works_and_speeds_leave_out_the_beginning(run):
    later = without_beginning(run, 1.0)
    assert later.time[0] == pytest.approx(1.0)
    length = np.hypot(*run.mean_velocity(start=1.0)) * 9.0
    assert measured("displacement", later) == pytest.approx(length)
    # What is left out lies before the settled cycle.
    assert measured("mean_speed", later) == measured("mean_speed", run)
    ledger = run.columns["energy_actuator"]
    assert measured("actuator_work", later) == ledger[-1] - ledger[100]
    with pytest.raises(InvalidInput, match="skip = 10 is not allowed: this run lasts 10 s"):
        without_beginning(run, 10.0)


def test_certificate(run):
    found = certificate(run)
    assert found["law_residual"] == run.columns["law_residual"].max() > 0
    assert found["energy_residual"] == run.energy()["residual"]
    assert found["halvings"] == run.columns["halvings"].sum()
    assert list(found) == list(metrics.CERTIFICATE)


def test_all_have_units_and_words(run):
    for name, known in METRICS.items():
        assert known.unit, name
        assert known.words[0].isupper(), name


def test_your_own(monkeypatch, run):
    monkeypatch.setattr(metrics, "METRICS", dict(METRICS))

    @metric("m")
    def highest(run):
        """Largest y of all links.

        More words.
        """
        return run.columns["y"].max()

    assert metrics.METRICS["highest"].words == "Largest y of all links"
    assert metrics.METRICS["highest"].measure(run) == run.columns["y"].max()


def test_a_metric_needs_its_unit():
    with pytest.raises(
        InvalidInput, match=r'^metric needs a unit, such as @metric\("m"\), but was'
    ):

        @metric
        def leftmost(run):
            return run.columns["x"].min()


def test_a_metric_does_not_take_the_place_of_another(monkeypatch):
    monkeypatch.setattr(metrics, "METRICS", dict(METRICS))

    def mean_speed(_run):
        return 0.0

    with pytest.raises(InvalidInput, match="metric 'mean_speed' is not allowed: there is one"):
        metric("m/s")(mean_speed)
    # The same one may be defined again, as when its module is loaded again.
    metric("m/s")(METRICS["mean_speed"].measure)


PARAMETERS = {"friction.along": {"values": [0.3, 0.4]}}
SWEEP = Study(base="swimmer", parameters=PARAMETERS, metrics=["distance"])
SEARCH = Optimisation(
    base="swimmer",
    parameters=PARAMETERS,
    optimise=Search(objectives={"distance": "maximise"}, trials=1),
)
COLUMNS = {*study_table.point_schema(SWEEP).names, *study_table.trial_schema(SEARCH).names}


@pytest.mark.parametrize("name", sorted(COLUMNS - {*PARAMETERS, "distance"}))
def test_a_name_of_the_table_is_no_metric(name, monkeypatch):
    monkeypatch.setattr(metrics, "METRICS", dict(METRICS))

    def measure(_run):
        return 0.0

    measure.__name__ = name
    with pytest.raises(InvalidInput, match=f"metric '{name}' is not allowed: tables have a column"):
        metric("1")(measure)


def test_what_goes_wrong_is_in_the_row(here, inline, add_metric):
    def broken(_run):
        raise ZeroDivisionError("not at all\nmore words")

    add_metric("broken", broken)
    study = Study(
        base="swimmer",
        parameters={"friction.along": {"values": [0.3, -1.0]}},
        metrics=["broken", "distance"],
        change={"clock.duration": 0.1, "seed": 5},
    )
    table = sweep(study, "out")
    assert list(table["error"]) == [
        "broken: ZeroDivisionError: not at all",
        "friction.along = -1.0 is not allowed: it must be at least 0",
    ]
    assert list(table["seed"]) == [5, 5]
    assert table["broken"].isna().all()
    run = study.scenario.changed(study.changes(0)).run()
    assert table["distance"][0] == measured("distance", run)
    assert math.isnan(table["distance"][1])
    assert math.isnan(table["halvings"][1])
