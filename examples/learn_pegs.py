"""Learns to get through random fields of pegs: sixteen numbers, found by CMA-ES in two minutes.

A linear policy sets the parameters of a gait from what the robot feels. It is trained on short
episodes and judged on whole ones, in fields that it has never seen. The same seed gives the same
numbers. Needs `pip install 'serpenoid[rl]'`.

Writes out/learn_pegs.png and out/learn_pegs.json.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from serpenoid import plots
from serpenoid.files import dumps, write_text
from serpenoid.plots.style import BLACK, BLUE, GREY, LEGEND, VERMILION, tint

PERIOD = 0.05  # s
TRAIN_STEPS, TEST_STEPS = 200, 600  # 10 s and the 30 s of a whole episode
CANDIDATES, FIELDS, GENERATIONS = 12, 8, 16
TEST_FIELDS, TEST_SEED = 128, 1_000_000  # seeds of training stay below
PACE_TIME = 1.0  # over which the robot remembers how fast it was, s
# Where the search begins: a gait found by hand, 40 deg, 120 deg/s and -30 deg, and no feedback.
BY_HAND = np.zeros((4, 4))
BY_HAND[:3, 0] = 0.33, -0.2, -0.25
SPREAD = 0.15  # of the first candidates around it


# The policy: amplitude, frequency and phase of the gait from numbers that a mirror leaves alone,
# the offset, which steers, from those that change sign in it. So it does the same on the left as
# on the right, and there is half as much to learn.


def act(weights: Any, seen: Any, pace: Any) -> Any:
    """Actions, (b, 4). weights: (b, 4, 4); seen: (b, 69); pace: (b,), m/s."""
    sine, off_axis = seen[:, 23], seen[:, 27]
    along, across = seen[:, 28:52:2], seen[:, 29:52:2]  # contact forces, robot weights, (b, 12)
    same = np.tanh([pace / 0.1, along.sum(axis=1), np.abs(across).sum(axis=1)])
    turns = np.tanh([sine, off_axis / 0.3, across[:, 6:].sum(axis=1), across[:, :6].sum(axis=1)])
    gait = weights[:, :3, 0] + np.einsum("bij,jb->bi", weights[:, :3, 1:], same)
    offset = np.einsum("bj,jb->b", weights[:, 3], turns)
    return np.clip(np.column_stack([gait, offset]), -1.0, 1.0)


def episodes(weights: Any, seeds: Any, steps: int) -> tuple[Any, Any, Any]:
    """Each robot's return, progress, m, and whether it got through, (b,); weights: (b, 4, 4)."""
    envs = gymnasium.make_vec(
        "serpenoid.envs:serpenoid/PegField-v0", len(seeds), action="gait", max_episode_steps=steps
    )
    seen, _ = envs.reset(seed=np.asarray(seeds).tolist())
    total, progress, pace = np.zeros((3, len(seeds)))
    live, through = np.ones(len(seeds), bool), np.zeros(len(seeds), bool)
    for _ in range(steps):
        if not live.any():
            break
        actions = act(weights, seen.astype(float), pace)
        seen, reward, terminated, truncated, infos = envs.step(actions)
        total += live * reward
        progress += live * infos["reward_forward"] * PERIOD
        through |= live & (infos["reward_arrival"] > 0)
        pace += PERIOD / PACE_TIME * (seen[:, 24] - pace)
        live &= ~(terminated | truncated)
    envs.close()
    return total, progress, through


def cma_es(mean: Any, count: int, spread: float, random: Any) -> Iterator[Any]:
    """CMA-ES: yields the mean, (size,), and candidates, (count, size); is sent their values."""
    size = len(mean)
    weights = np.maximum(np.log(count / 2 + 0.5) - np.log(np.arange(1, count + 1)), 0.0)
    weights /= weights.sum()
    mass = 1 / (weights**2).sum()  # how many candidates the mean is made of, in effect
    slow = (mass + 2) / (size + mass + 5)  # rates: of the path of the spread,
    bend = (4 + mass / size) / (size + 4 + 2 * mass / size)  # of the path of the covariance,
    one = 2 / ((size + 1.3) ** 2 + mass)  # of the covariance, from its path
    many = min(1 - one, 2 * (mass - 2 + 1 / mass) / ((size + 2) ** 2 + mass))  # and all candidates
    damping = 1 + slow + 2 * max(0.0, np.sqrt((mass - 1) / (size + 1)) - 1)
    usual = np.sqrt(size) * (1 - 1 / (4 * size) + 1 / (21 * size**2))  # length of a random vector
    spread_path, path = np.zeros((2, size))
    covariance = np.eye(size)
    while True:
        squares, axes = np.linalg.eigh(covariance)
        root = axes * np.sqrt(squares) @ axes.T
        whitened = random.standard_normal((count, size))
        moves = whitened @ root
        values = yield mean, mean + spread * moves
        order = np.argsort(-values, kind="stable")
        step = weights @ moves[order]
        mean = mean + spread * step
        spread_path = (1 - slow) * spread_path + np.sqrt(slow * (2 - slow) * mass) * (
            weights @ whitened[order]
        )
        path = (1 - bend) * path + np.sqrt(bend * (2 - bend) * mass) * step
        best = moves[order]
        covariance = (
            (1 - one - many) * covariance
            + one * np.outer(path, path)
            + many * (best.T * weights) @ best
        )
        spread *= np.exp(slow / damping * (np.linalg.norm(spread_path) / usual - 1))


def learn(
    seed: int = 0,
    generations: int = GENERATIONS,
    candidates: int = CANDIDATES,
    fields: int = FIELDS,
    steps: int = TRAIN_STEPS,
) -> tuple[Any, Any, Any]:
    """The weights, (4, 4); returns and progress, m, (generations, candidates + 1).

    The first of these is the mean of the search, which is watched, but teaches it nothing.
    """
    random = np.random.default_rng(seed)
    search = cma_es(BY_HAND.ravel(), candidates, SPREAD, random)
    mean, asked = next(search)
    returns, progress = np.zeros((2, generations, candidates + 1))
    for g in range(generations):
        # New fields for each generation, and the same ones for all of its candidates.
        seeds = np.tile(random.integers(TEST_SEED, size=fields), candidates + 1)
        weights = np.repeat(np.vstack([mean, asked]).reshape(-1, 4, 4), fields, axis=0)
        total, way, _ = episodes(weights, seeds, steps)
        returns[g] = total.reshape(-1, fields).mean(axis=1)
        progress[g] = way.reshape(-1, fields).mean(axis=1)
        print(
            f"  generation {g + 1:2}: progress {progress[g, 0]:5.2f} m,"
            f" of the best candidate {progress[g, 1:].max():5.2f} m",
            flush=True,
        )
        mean, asked = search.send(returns[g, 1:])
    return mean.reshape(4, 4), returns, progress


def judge(weights: Any, count: int = TEST_FIELDS) -> tuple[Any, Any]:
    """Progress, m, and who got through, in whole episodes in fields never trained on, (count,)."""
    seeds = TEST_SEED + np.arange(count)
    return episodes(np.tile(weights, (count, 1, 1)), seeds, TEST_STEPS)[1:]


def picture(returns: Any, judged: dict[str, Any]) -> Any:
    """Returns of candidates by generation; how far each policy comes in fresh fields."""
    with plots.canvas((7.0, 2.4)) as figure:
        curve, fresh = figure.subplots(1, 2)
        number = np.arange(1, len(returns) + 1)
        look = {"color": tint(BLUE, 0.6), "ms": 2.5, "mew": 0}
        dots, *_ = curve.plot(number, returns[:, 1:], "o", **look)
        (line,) = curve.plot(number, returns[:, 1:].mean(axis=1), color=BLUE)
        (mean,) = curve.plot(number, returns[:, 0], "--", color=BLACK, lw=0.7)
        curve.axhline(0.0, color=GREY, lw=0.5, zorder=0)
        curve.set(xlabel="generation", ylabel="return of 10 s", xlim=(0.5, number[-1] + 0.5))
        curve.set_title(f"training, {FIELDS} new fields each")
        curve.set_ylim(top=1.35 * returns.max())
        curve.set_xticks(number[1::2])
        words = ["candidates", "their average", "policy in their middle"]
        curve.legend([dots, line, mean], words, **LEGEND, ncols=3, loc="upper center")
        for (name, way), colour in zip(judged.items(), (GREY, VERMILION, BLUE), strict=True):
            share = np.arange(len(way), 0, -1) / len(way)
            fresh.step(np.sort(way), share, where="pre", color=colour, label=name)
        fresh.set(xlabel="progress in 30 s (m)", ylabel="share of fields with more", ylim=(0, 1.02))
        fresh.set_title(f"{len(way)} fresh fields")
        fresh.legend(loc="lower left", **LEGEND)
    return figure


def main(out: Path = Path("out")) -> dict[str, Any]:
    """Learn, judge, write the figure and the numbers."""
    began = time.perf_counter()
    print(
        f"{GENERATIONS} generations of {CANDIDATES} candidates, each in {FIELDS} fields for 10 s:"
    )
    weights, returns, _ = learn()
    policies = {"zero action": np.zeros((4, 4)), "gait by hand": BY_HAND, "learnt": weights}
    print(f"\n{TEST_FIELDS} fresh fields, 30 s:")
    judged, result = {}, {}
    for name, policy in policies.items():
        way, arrived = judge(policy)
        error, through = way.std(ddof=1) / np.sqrt(len(way)), arrived.mean()
        judged[name] = way
        result[name] = {"progress": way.mean(), "standard_error": error, "through": through}
        print(
            f"  {name:12} {way.mean():5.2f} m, standard error {error:.2f} m, "
            f"through in {through:.0%}",
            flush=True,
        )
    result["weights"], result["returns"] = weights.tolist(), returns.tolist()

    out.mkdir(exist_ok=True)
    plots.save(picture(returns, judged), out / "learn_pegs.png")
    write_text(out / "learn_pegs.json", dumps(result))
    print(f"\nin {time.perf_counter() - began:.0f} s")
    print(f"picture:  {out / 'learn_pegs.png'}\nnumbers:  {out / 'learn_pegs.json'}")
    return result


if __name__ == "__main__":
    main()
