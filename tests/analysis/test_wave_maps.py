"""Maps over gaits and friction, against single runs and the kinematics of a wave."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import QuadMesh

import serpenoid as sp
from serpenoid.analysis.wave_maps import WaveMap, wave_map
from serpenoid.model.fields import pegs_for_wave
from serpenoid.plots.wave_figures import wave_maps


@pytest.fixture(scope="module")
def aiko():
    return sp.Scenario.load("aiko_pegs")


@pytest.fixture(scope="module")
def found(aiko) -> WaveMap:
    return wave_map(
        aiko,
        phase_deg=[-50, -20, -70],
        frequency_deg=[80, 160],
        mu=[0.1, 0.4],
        starts=2,
        periods=2,
        radius=0.03,
    )


def test_a_row_for_each_run_in_the_order_of_the_parameters(found):
    assert all(len(column) == 3 * 2 * 2 * 2 for column in found.values())
    assert found["phase_deg"][::8].tolist() == [-50, -20, -70]
    assert found["frequency_deg"][:8:4].tolist() == [80, 160]
    assert found["mu"][:4].tolist() == [0.1, 0.1, 0.4, 0.4]
    assert found["start"][:4].tolist() == [0, 1, 0, 1]
    assert (found["amplitude_deg"] == -40).all()


def test_a_wave_that_does_not_exist_has_no_runs(found):
    """At -20 deg links would turn by 115 deg."""
    assert list(found.reasons) == [(-40.0, -20.0)]
    assert "links would turn by 115.2 deg" in found.reasons[-40.0, -20.0]
    without = found["phase_deg"] == -20
    for name in ("speed", "impact_force", "propulsive_share", "torque"):
        assert np.isnan(found[name][without]).all()
        assert np.isfinite(found[name][~without]).all()


def test_speed_is_a_peg_for_half_a_period(aiko, found):
    for phase in (-50.0, -70.0):
        gait = sp.Serpenoid(-40, 80, phase)
        pegs = pegs_for_wave(aiko.built[0], gait, 0.03)
        for frequency in (80.0, 160.0):
            speed = (pegs[1].x - pegs[0].x) / (180 / frequency)
            rows = found.where(phase_deg=phase, frequency_deg=frequency)
            np.testing.assert_allclose(rows["speed"], speed, rtol=0.02)


def test_measures_are_those_of_a_single_run(aiko):
    """Speed, impact and share from its columns by hand."""
    found = wave_map(aiko, starts=1, periods=3, radius=0.03, seed=5)
    gait = aiko.controller
    pegs = pegs_for_wave(aiko.built[0], gait, 0.03, count=12)
    listed = [{"x": peg.x, "y": peg.y, "radius": peg.radius} for peg in pegs]
    base = aiko.changed({"world": {"pegs": listed}, "clock.duration": 13.5})
    along = sp.fields.start_on_wave(aiko.built[0], gait)
    ahead = (pegs[1].x - pegs[0].x) / 2
    box = sp.analysis.starts.StartBox(
        x=(0.0, ahead),
        y=(along.y - 0.01, along.y + 0.01),
        heading_deg=(along.heading_deg - 2, along.heading_deg + 2),
    )
    begun = base.changed({"start": along})
    (start,) = sp.analysis.starts.clear_starts(begun, box, 1, seed=5).starts
    run = base.changed({"start": start}).run()
    row = run.row(4.5)
    x = run.centre_of_mass()[:, 0]
    force = run.columns["contact_force"][row + 1 :]
    assert found["speed"] == pytest.approx([(x[-1] - x[row]) / 9.0])
    assert found["impact_force"] == pytest.approx([np.linalg.norm(force, axis=2).max()])
    share = force[..., 0].sum() / np.linalg.norm(force, axis=2).sum()
    assert found["propulsive_share"] == pytest.approx([share])
    torque = run.columns["joint_torque"][row + 1 :]
    assert found["torque"] == pytest.approx([np.sqrt(np.mean(torque**2))])


def test_medians_and_chosen_rows(found):
    few = found.where(mu=0.1, phase_deg=-70, frequency_deg=80)
    assert len(few["mu"]) == 2
    middle = few.median()
    assert middle["impact_force"] == pytest.approx([few["impact_force"].mean()])
    with pytest.raises(sp.InvalidInput, match=r"mu = 0.3 is not in this map; it has 0.1, 0.4"):
        found.where(mu=0.3)
    with pytest.raises(sp.InvalidInput, match="column 'my' is not known"):
        found.where(my=0.3)


def test_medians_leave_out_what_has_no_number():
    nan = np.nan
    names = ("amplitude_deg", "phase_deg", "frequency_deg", "mu")
    columns = {name: np.repeat([1.0, 2.0], 3) for name in names}
    columns["start"] = np.tile([0.0, 1.0, 2.0], 2)
    for name in ("impact_force", "propulsive_share", "torque"):
        columns[name] = np.full(6, nan)
    columns["speed"] = np.array([5.0, 1.0, 2.0, nan, 4.0, 3.0])
    found = WaveMap(columns, {}).median()
    assert found["speed"].tolist() == [2.0, 3.5]
    assert np.isnan(found["torque"]).all()
    assert found["mu"].tolist() == [1.0, 2.0]


def test_figure_shows_the_medians(found):
    figure = wave_maps(found.where(frequency_deg=80), "phase_deg", "mu")
    shown = [
        [each for each in ax.collections if isinstance(each, QuadMesh)][-1].get_array()
        for ax in figure.axes[:3]
    ]
    middle = found.where(frequency_deg=80).median()
    speeds = {(-70.0, 0.1): shown[0][0, 0], (-50.0, 0.4): shown[0][1, 1]}
    for (phase, mu), value in speeds.items():
        here = (middle["phase_deg"] == phase) & (middle["mu"] == mu)
        assert value == middle["speed"][here][0]
    assert len(shown) == 3
    with pytest.raises(sp.InvalidInput, match="choose one value of each other parameter first"):
        wave_maps(found, "phase_deg", "mu")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"starts": 0}, "starts = 0 is not allowed"),
        ({"periods": 1}, "periods = 1 is not allowed"),
        ({"mu": []}, "it must be a list of different numbers"),
        ({"phase_deg": [-50, -50]}, "it must be a list of different numbers"),
        ({"frequency_deg": [80, 0]}, "frequency_deg = 0 is not allowed: nothing would travel"),
        ({"phase_deg": [-20]}, "no wave of the map has pegs and starts"),
    ],
)
def test_what_is_not_allowed(aiko, change, words):
    with pytest.raises(sp.InvalidInput, match=words):
        wave_map(aiko, **change)


def test_pegs_are_on_the_side_that_drives_whatever_the_sign_of_the_frequency(aiko):
    found = wave_map(aiko, frequency_deg=[80, -80], starts=1, periods=2, radius=0.03)
    assert found["speed"][0] == pytest.approx(found["speed"][1], rel=0.02)
    assert found["speed"][0] > 0.15


def test_a_controller_without_a_wave(aiko):
    with pytest.raises(sp.InvalidInput, match="it must be a Serpenoid"):
        wave_map(aiko.changed({"controller": None}))


def test_a_gait_that_drives_backwards_and_friction_without_mu(aiko):
    """Speed and share are those of the way of the gait; each friction law is taken as it is."""
    ellipse = aiko.changed({"friction": {"kind": "orthotropic", "along": 0.1, "across": 0.3}})
    found = wave_map(ellipse, phase_deg=[50, -50], starts=1, periods=2, radius=0.03)
    assert np.isnan(found["mu"]).all()
    assert found["speed"][0] == pytest.approx(found["speed"][1], rel=0.02)
    assert found["speed"][0] > 0.15
    assert (found["propulsive_share"] > 0.3).all()
