"""Measures as methods of a run, and all of them together."""

import numpy as np
import pandas
import pytest

import serpenoid as sp
from serpenoid.analysis import metrics
from serpenoid.analysis.metrics import METRICS, metric
from serpenoid.engine.run_measures import RunMeasures
from serpenoid.studies import Study, sweep


@pytest.fixture(scope="module")
def run():
    return sp.Scenario.load("swimmer", {"clock.duration": 6.0}).run()


def test_every_metric_is_a_method_that_says_what_it_is(run):
    assert {name for name in vars(RunMeasures) if not name.startswith("_")} == {
        *METRICS,
        "measures",
    }
    for name, known in METRICS.items():
        method = getattr(run, name)
        unit = "" if known.unit == "1" else f", {known.unit}"
        assert method.__doc__.splitlines()[0] == f"{known.words}{unit}.", name
        assert method.__name__ == name


def test_methods_are_the_metrics(run):
    found = run.measures()
    assert list(found) == [name for name in METRICS if name not in found.left_out]
    for name, value in found.items():
        assert getattr(run, name)() == METRICS[name].measure(run) == value
        assert found.units[name] == METRICS[name].unit
    assert found.left_out == dict.fromkeys(
        ("waypoints_reached", "jammed_time"),
        "this run has no path: its controller must be or contain a Heading",
    )


def test_measures_are_the_row_of_a_sweep(run, here, inline):
    names = list(run.measures())
    for skip, start in ((0.0, None), (1.0, 1.0)):
        study = Study(
            base="swimmer",
            parameters={"clock.duration": {"values": [6.0]}},
            metrics=names,
            skip=skip,
        )
        row = sweep(study, f"out{skip}").iloc[0]
        assert pandas.isna(row["error"])
        assert {name: float(row[name]) for name in names} == dict(run.measures(start))


def test_a_table_as_text_and_html(run):
    found = run.measures()
    lines = repr(found).splitlines()
    assert lines[0] == "measure                 value  unit"
    assert lines[1] == f"mean_speed          {run.mean_speed():9.4g}  m/s"
    assert len(lines) == 1 + len(found)
    page = found._repr_html_()
    assert page.startswith("<table><thead><tr><th>measure</th><th>value</th><th>unit</th></tr>")
    assert f"<td>{run.efficiency():.4g}</td><td></td></tr>" in page


def test_what_cannot_be_measured_yet_is_left_out():
    found = sp.Scenario.load("swimmer", {"clock.duration": 0.5}).run().measures()
    assert "mean_speed" not in found
    assert found.left_out["mean_speed"] == (
        "mean_speed needs a whole cycle of the gait, 2 s, after the first; this run lasts 0.5 s"
    )
    assert found["actuator_work"] > 0
    with pytest.raises(KeyError, match="mean_speed needs a whole cycle of the gait, 2 s, after"):
        found["mean_speed"]
    assert found.get("mean_speed", 7.0) == 7.0
    with pytest.raises(KeyError, match=r"'distanc' is not known \(did you mean 'distance'\?\)"):
        found["distanc"]
    names = ", ".join(name for name in found.left_out if name in found.unmet)
    assert names.startswith("mean_speed, forward_velocity, turn_rate")
    assert "waypoints_reached" not in names
    note = (
        f"{names} are left out, each needs a whole cycle of the gait, 2 s, after the first; this "
        "run lasts 0.5 s"
    )
    assert repr(found).splitlines()[-1] == note
    assert found._repr_html_().endswith(f"<p>{note}</p>")


def test_your_own_is_among_them(monkeypatch, run):
    monkeypatch.setattr(metrics, "METRICS", METRICS)
    monkeypatch.setitem(METRICS, "highest", None)
    del METRICS["highest"]

    @metric("m")
    def highest(run):
        """Largest y of all links."""
        return run.columns["y"].max()

    assert run.measures()["highest"] == np.max(run.columns["y"])
    assert run.measures().units["highest"] == "m"
