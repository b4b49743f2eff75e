"""Claims about the small pegs of VIII-B: which links push, and what peg 3 does."""

from __future__ import annotations

import numpy as np

from serpenoid.analysis.motion import push_points, time_past
from serpenoid.analysis.windows import between
from serpenoid.engine.trajectory import Trajectory
from serpenoid.papers.paper import Failed, Results, claim
from serpenoid.papers.transeth2008.claims_track import tried_words
from serpenoid.papers.transeth2008.measures import (
    Push,
    end_of_track,
    least_push,
    mean_forces,
    middle_path,
    pushes_at,
    three_at_once,
    turn,
)
from serpenoid.papers.verdicts import Finding

# Time of Fig. 10, s, and the links that push in it.
FIG_10, PUBLISHED_LINKS = 5.2, (2, 7, 10)


def _pushes(results: Results) -> list[Push]:
    """What Fig. 10 shows, or what stands in its way."""
    run: Trajectory = results["small_pegs"].run
    if end_of_track(run) < FIG_10:
        raise Failed(f"the robot has left the track at {FIG_10} s")
    return pushes_at(run, FIG_10)


@claim("links that push at 5.2 s", "2, 7, 10", place="VIII-B, Fig. 10")
def _fig10_links(results: Results) -> Finding:
    """Three, each the published one or its neighbour: a contact passes from link to link."""
    links = [push.link for push in _pushes(results)]
    near = len(links) == 3 and all(
        abs(a - b) <= 1 for a, b in zip(links, PUBLISHED_LINKS, strict=True)
    )
    note = "one link for each peg, mean over 0.1 s; each may be a neighbour of the published one"
    return Finding(", ".join(map(str, links)) or "none", near, note)


@claim("only the middle one of them is pushed to -y", "+, -, +", place="VIII-B, Fig. 10")
def _fig10_signs(results: Results) -> Finding:
    pushes = _pushes(results)
    signs = ["+" if push.force[1] > 0 else "-" for push in pushes]
    words = "; ".join(
        f"link {push.link}: {push.force[0]:+.1f}, {push.force[1]:+.1f} N" for push in pushes
    )
    return Finding(", ".join(signs) or "none", signs == ["+", "-", "+"], words)


@claim("contact forces point forward in the sum at 5.2 s", True, place="VIII-B, Fig. 10")
def _fig10_forward(results: Results) -> Finding:
    pushes = _pushes(results)
    thrust = sum(float(push.force[0]) for push in pushes)
    return Finding(thrust > 0, thrust > 0, f"{thrust:.1f} N along x")


@claim("average force on link 7 is higher than on links 2 and 10", True, place="Fig. 11")
def _fig11_link7(results: Results) -> Finding:
    run: Trajectory = results["small_pegs"].run
    force = mean_forces(run, 4.5, 5.5)
    two, seven, ten = (float(force[link - 1]) for link in PUBLISHED_LINKS)
    note = f"4.5 s to 5.5 s: {seven:.1f} N on link 7, {two:.1f} N and {ten:.1f} N on 2 and 10"
    return Finding(seven > max(two, ten), seven > max(two, ten), note)


@claim("places that push simultaneously", 3.0, place="VII-B, VIII-B")
def _three_push_points(results: Results) -> Finding:
    """Simultaneously is within a row of 10 ms; contacts chatter, so longer windows hold more."""
    whole: Trajectory = results["small_pegs"].run
    run = between(whole, 2.0, end_of_track(whole))
    shares = [f"{100 * three_at_once(run, w):.0f} % of {1000 * w:.0f} ms" for w in (0.01, 0.1, 0.2)]
    large = results["track"].run
    share = three_at_once(between(large, 2.0, end_of_track(large)), 0.01)
    places, longer = (float(np.median(push_points(run, w, least_push(run)))) for w in (0.01, 0.1))
    note = (
        f"median of 10 ms windows, of 100 ms {longer:g}; three or more in {', '.join(shares)} "
        f"windows, on the pegs of VIII-D in {100 * share:.0f} % of 10 ms; that it needs them is "
        "tested without peg 3, and at -30 deg"
    )
    return Finding(places, places >= 3, note)


@claim("completes the track with peg 3 one diameter to the left", True, place="VIII-B1")
def _peg3_moved(results: Results) -> Finding:
    small = results["small_pegs"]
    usual, moved, _ = small.peg_3
    at, before = time_past(moved, small.last_peg), end_of_track(usual)
    words = "stuck" if at is None else f"past the last peg at {at:.1f} s, {before:.1f} s otherwise"
    note = f"{words}; {tried_words(small.before, 'before peg 3')}"
    return Finding(at is not None, at is not None, note)


@claim("turns and slides left when it should meet the moved peg", True, "deg", place="VIII-B1")
def _peg3_moved_turns(results: Results) -> Finding:
    usual, moved, _ = results["small_pegs"].peg_3
    found = turn(moved, usual)
    note = f"from {found.time:.1f} s on, {found.left:+.1f} cm to the left"
    return Finding(found.turned, found.holds, note)


@claim("completes the track without peg 3", False, place="VIII-B1")
def _peg3_removed(results: Results) -> Finding:
    small = results["small_pegs"]
    _, _, removed = small.peg_3
    done = time_past(removed, small.last_peg) is not None
    x = middle_path(removed)[-450:, 0]
    note = f"link 6 stays between x = {x.min():.2f} and {x.max():.2f} m in the last 4.5 s"
    return Finding(done, not done, note)


@claim("turns and slides left where peg 3 is missing", True, "deg", place="VIII-B1")
def _peg3_removed_turns(results: Results) -> Finding:
    usual, _, removed = results["small_pegs"].peg_3
    found = turn(removed, usual)
    heading = np.degrees(removed.columns["theta"].mean(axis=1))
    note = (
        f"from {found.time:.1f} s on, {found.left:+.1f} cm to the left; at the end it is turned by "
        f"{heading[-1] - heading[0]:.0f} deg"
    )
    return Finding(found.turned, found.holds, note)


@claim("without peg 3 it never regains a third contact point", True, place="VIII-B1")
def _no_third_point(results: Results) -> Finding:
    """In the last period: three places in less than 5 % of windows of 200 ms."""
    _, _, removed = results["small_pegs"].peg_3
    end = float(removed.time[-1])
    share = three_at_once(between(removed, end - 4.5, end), 0.2)
    return Finding(share < 0.05, share < 0.05, f"{100 * share:.0f} % of the last 4.5 s")
