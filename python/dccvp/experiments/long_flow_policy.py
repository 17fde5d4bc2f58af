"""Trains the policy of the agent that orders priority, rate and way of long messages (`nic.transport.long_policy`).

  tool.py long-flow-policy PROGRAM --out FOLDER [--config FILE] [--seed N] [--iterations N] [--batch N] [--held-out N]

A smaller form of AuTO's second agent (Chen et al., SIGCOMM 2018): for each state of a long message the policy has
three softmax choices, of the message's priority, rate and path. Training by policy gradient (REINFORCE): a run of the
platform plays one action for each state, drawn by these probabilities. The reward of a run is the fraction of the mean
slowdown, over all messages, that the run saves against a run of the same seed with thresholds alone, without the agent.
The gradient of the mean reward is the mean of (reward - mean reward of the batch's other runs) times the gradient of
the log probability of the drawn actions.

FOLDER gets curve.csv, curve.png and policy.yaml: settings for a run. The tool prints the mean slowdown on seeds
that were not trained on: with thresholds alone, with the policy before training (all actions equally likely), and
with the trained policy, with 95 % intervals over the seeds.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile

from dccvp.common import statistics

STATES = 9
# Numbers of alternatives: priority 0 or 1; the line rate, or half or a quarter of it; any path or the path with the
# fewest long messages.
CHOICES = (2, 3, 2)
CONFIG = pathlib.Path(__file__).resolve().parents[3] / "configs/schemes/auto_long_flows.yaml"
STEP = 0.5  # Length of a training step in the logits, for rewards with a mean square of one.
HELD_OUT = 10_000  # First seed of the test runs, which training does not use.
SEEDS_PER_RUN = 4  # Number of training seeds for each run of a batch.


class Policy:
    """Independent softmax choices: `sizes` has the number of alternatives of each."""

    def __init__(self, sizes):
        self.logits = [[0.0] * size for size in sizes]

    def probabilities(self):
        found = []
        for logits in self.logits:
            weights = [math.exp(one - max(logits)) for one in logits]
            found.append([weight / sum(weights) for weight in weights])
        return found

    def draw(self, source):
        """Returns an alternative of each choice, drawn by the probabilities."""
        drawn = []
        for probabilities in self.probabilities():
            left, at = source.random(), 0
            while at < len(probabilities) - 1 and left >= probabilities[at]:
                left -= probabilities[at]
                at += 1
            drawn.append(at)
        return drawn

    def gradient(self, drawn):
        """Returns the gradient, by the logits, of the log probability of the drawn alternatives."""
        return [[(1.0 if at == chosen else 0.0) - p for at, p in enumerate(probabilities)]
                for chosen, probabilities in zip(drawn, self.probabilities())]

    def best(self):
        """Returns the most likely alternative of each choice."""
        return [logits.index(max(logits)) for logits in self.logits]


def reinforce(policy, drawn, rewards):
    """Returns an estimate of the gradient of the mean reward: each reward counts relative to the mean of the others."""
    total = [[0.0] * len(logits) for logits in policy.logits]
    count = len(rewards)
    for one, reward in zip(drawn, rewards):
        others = (sum(rewards) - reward) / (count - 1) if count > 1 else 0.0
        for sums, parts in zip(total, policy.gradient(one)):
            for at, part in enumerate(parts):
                sums[at] += (reward - others) * part / count
    return total


def train(policy, play, seed, iterations, batch, tell=lambda iteration, rewards: None):
    """Trains a policy. `play(drawn, episode)` returns a reward. Returns the rewards of each iteration. The step is
    divided by the root of the mean square of the rewards' differences, so that their unit does not matter."""
    source = random.Random(seed)
    curve, square = [], 0.0
    for iteration in range(iterations):
        drawn = [policy.draw(source) for _ in range(batch)]
        rewards = [play(one, iteration * batch + i) for i, one in enumerate(drawn)]
        middle = statistics.mean(rewards)
        now = sum((reward - middle) ** 2 for reward in rewards) / batch
        square = now if iteration == 0 else 0.9 * square + 0.1 * now
        gradient = reinforce(policy, drawn, rewards)
        for logits, parts in zip(policy.logits, gradient):
            for at, part in enumerate(parts):
                logits[at] += STEP * part / math.sqrt(square) if square > 0 else 0.0
        curve.append(rewards)
        tell(iteration, rewards)
    return curve


def table(drawn):
    """Returns the agent's table of actions by state, from an alternative of each choice: priority + 2 (rate + 3
    way)."""
    actions = []
    for state in range(STATES):
        priority, rate, way = drawn[3 * state:3 * state + 3]
        actions.append(priority + CHOICES[0] * (rate + CHOICES[1] * way))
    return actions


class Platform:
    """Runs the program, and caches each seed's slowdown with thresholds alone."""

    def __init__(self, program, config, folder):
        self.program, self.config, self.folder = program, config, folder
        self.alone = {}

    def slowdown(self, seed, actions=None):
        """Returns the mean slowdown of all messages, with a table of actions, or without the agent."""
        out = self.folder / "run"
        agent = "never" if actions is None else "500us"
        command = [str(self.program), "run", str(self.config), "-c", f"seed={seed}", "--quiet", "--force",
                   "--out", str(out), "-c", f"nic.transport.long_every={agent}"]
        if actions is not None:
            command += ["-c", f"nic.transport.long_policy={actions}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
        return json.loads((out / "metrics.json").read_text(encoding="utf-8"))["slowdown"]["all"]["mean"]

    def without(self, seed):
        if seed not in self.alone:
            self.alone[seed] = self.slowdown(seed)
        return self.alone[seed]

    def saved(self, drawn, seed):
        """Returns the reward: the fraction of the mean slowdown that the actions save."""
        return 1 - self.slowdown(seed, table(drawn)) / self.without(seed)


def draw_curve(curve, path):
    """Draws the picture of the rewards over the training."""
    from dccvp.common.pictures import COLOURS, GRID, PALE, plt, save  # matplotlib is loaded only for a picture
    means = [100 * statistics.mean(rewards) for rewards in curve]
    halves = [100 * (statistics.confidence(rewards) or 0.0) for rewards in curve]
    steps = range(1, len(curve) + 1)
    figure, axes = plt.subplots(figsize=(7, 3.6))
    axes.axhline(0, color=PALE, linewidth=1)
    axes.fill_between(steps, [m - h for m, h in zip(means, halves)], [m + h for m, h in zip(means, halves)],
                      color=COLOURS[0], alpha=0.2, linewidth=0)
    axes.plot(steps, means, color=COLOURS[0])
    axes.set_xlabel(f"iteration ({len(curve[0])} runs each)")
    axes.set_ylabel("slowdown saved against\nthresholds alone (%)")
    axes.grid(color=GRID)
    figure.tight_layout()
    save(figure, path, dpi=120)


def compare(platform, policy, seeds, source):
    """Returns the lines of a table: mean slowdown on the seeds, and its difference from thresholds alone, seed by
    seed."""
    untrained = Policy(CHOICES * STATES)
    kinds = {"thresholds alone": lambda seed: platform.without(seed),
             "policy before training": lambda seed: platform.slowdown(seed, table(untrained.draw(source))),
             "policy after training": lambda seed: platform.slowdown(seed, table(policy.best()))}
    lines = []
    for name, play in kinds.items():
        found = [play(seed) for seed in seeds]
        saved = [100 * (1 - one / platform.without(seed)) for one, seed in zip(found, seeds)]
        slowdown = statistics.with_interval(statistics.mean(found), statistics.confidence(found), 4)
        gain = statistics.with_interval(statistics.mean(saved), statistics.confidence(saved), 3)
        lines.append(f"{name:24} {slowdown:>16}   saves {gain} %")
    return lines


def main(arguments):
    """Trains the policy, writes the folder and prints the comparison."""
    parser = argparse.ArgumentParser(prog="long-flow-policy", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--config", type=pathlib.Path, default=CONFIG)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--held-out", type=int, default=10, help="number of seeds of the comparison")
    given = parser.parse_args(arguments)
    if min(given.iterations, given.held_out) < 1 or given.batch < 2:
        parser.error("give 1 iteration or more, 1 seed or more, and 2 runs a batch or more")
    given.out.mkdir(parents=True, exist_ok=True)
    policy = Policy(CHOICES * STATES)
    with tempfile.TemporaryDirectory() as name:
        platform = Platform(given.program, given.config, pathlib.Path(name))

        def tell(iteration, rewards):
            print(f"iteration {iteration + 1}: saves {100 * statistics.mean(rewards):.2f} %", flush=True)

        def play(drawn, episode):
            return platform.saved(drawn, given.seed + episode % (SEEDS_PER_RUN * given.batch))

        curve = train(policy, play, given.seed, given.iterations, given.batch, tell)
        rows = [f"{i + 1},{','.join(f'{reward:.6g}' for reward in rewards)}\n" for i, rewards in enumerate(curve)]
        (given.out / "curve.csv").write_text(
            f"iteration,{','.join(f'reward_{i + 1}' for i in range(given.batch))}\n{''.join(rows)}", encoding="utf-8")
        draw_curve(curve, given.out / "curve.png")
        (given.out / "policy.yaml").write_text(
            f"# By tool.py long-flow-policy --seed {given.seed} --iterations {given.iterations} --batch {given.batch}\n"
            f"nic: {{transport: {{long_every: 500us, long_policy: {table(policy.best())}}}}}\n", encoding="utf-8")
        for line in compare(platform, policy, range(HELD_OUT, HELD_OUT + given.held_out), random.Random(given.seed)):
            print(line, flush=True)
    return 0
