"""The first sweep of a step predicts which laws hold, slide and push."""

from serpenoid.scenario.scenario import Scenario


def test_sliding_contacts_are_predicted_to_slide():
    """With contact friction a step takes hardly more iterations than without.

    Where every contact is taken to stick at first, this run takes more than four a step.
    """
    run = Scenario.load("peg_forest", {"clock.duration": 20.0}).run()
    steps = run.time[-1] / run.scenario.clock.time_step
    assert (run.columns["contact_force"] != 0).any()
    assert run.columns["iterations"].sum() < 2.0 * steps
