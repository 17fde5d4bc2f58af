#!/usr/bin/python3
"""Tests the learner of the policy for long messages: its gradient against finite differences, a bandit with a known
best choice, and equal policies for equal seeds.

  long_flow_policy_test.py [BUILD/dccvp]
"""

import itertools
import math
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from dccvp.experiments import long_flow_policy  # noqa: E402
from dccvp.experiments.long_flow_policy import Policy, reinforce, train  # noqa: E402

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
SIZES = (2, 3)


def reward(drawn):
    return 3.0 * drawn[0] - (drawn[1] - 1) ** 2 + 0.5 * drawn[0] * drawn[1]


def outcomes():
    return [list(one) for one in itertools.product(*map(range, SIZES))]


def likelihood(policy, drawn):
    return math.prod(one[at] for one, at in zip(policy.probabilities(), drawn))


def some_policy():
    policy = Policy(SIZES)
    policy.logits = [[0.3, -0.4], [0.1, 0.9, -1.2]]
    return policy


def mean_reward(policy):
    return sum(likelihood(policy, one) * reward(one) for one in outcomes())


def by_differences(function, policy):
    """Gradient of a function of the policy, by central differences of the policy's logits."""
    step, found = 1e-5, []
    for logits in policy.logits:
        parts = []
        for at, kept in enumerate(logits):
            logits[at] = kept + step
            above = function(policy)
            logits[at] = kept - step
            below = function(policy)
            logits[at] = kept
            parts.append((above - below) / (2 * step))
        found.append(parts)
    return found


class Gradient(unittest.TestCase):
    def equal(self, found, expected, delta):
        for one, other in zip(found, expected):
            for a, b in zip(one, other):
                self.assertAlmostEqual(a, b, delta=delta)

    def test_of_the_log_probability(self):
        policy = some_policy()
        for drawn in outcomes():
            expected = by_differences(lambda p, d=drawn: math.log(likelihood(p, d)), policy)
            self.equal(policy.gradient(drawn), expected, 1e-8)

    def test_the_mean_of_the_estimate_is_the_gradient_of_the_mean_reward(self):
        policy = some_policy()
        expected = by_differences(mean_reward, policy)
        total = [[0.0] * size for size in SIZES]
        for pair in itertools.product(outcomes(), repeat=2):  # every possible batch of two outcomes
            weight = likelihood(policy, pair[0]) * likelihood(policy, pair[1])
            estimate = reinforce(policy, pair, [reward(one) for one in pair])
            for sums, parts in zip(total, estimate):
                for at, part in enumerate(parts):
                    sums[at] += weight * part
        self.equal(total, expected, 1e-8)


class Training(unittest.TestCase):
    def play(self, noise):
        source = random.Random(7)
        return lambda drawn, episode: reward(drawn) + source.gauss(0, noise)

    def test_finds_the_best_arms_of_a_noisy_bandit(self):
        best = max(outcomes(), key=reward)
        for seed in range(1, 11):
            policy = Policy(SIZES)
            curve = train(policy, self.play(1.0), seed, iterations=150, batch=8)
            self.assertEqual(policy.best(), best)
            self.assertGreater(likelihood(policy, best), 0.8)
            self.assertGreater(sum(curve[-1]), sum(curve[0]))

    def test_learns_nothing_from_noise_alone(self):
        policy = Policy((2,) * 50)
        source = random.Random(3)
        train(policy, lambda drawn, episode: source.gauss(0, 1), 1, iterations=40, batch=8)
        ones = [one[1] for one in policy.probabilities()]
        self.assertAlmostEqual(sum(ones) / len(ones), 0.5, delta=0.1)

    def test_the_same_seed_gives_the_same_policy(self):
        logits = []
        for seed in (1, 1, 2):
            policy = Policy(SIZES)
            train(policy, self.play(1.0), seed, iterations=10, batch=4)
            logits.append(policy.logits)
        self.assertEqual(logits[0], logits[1])
        self.assertNotEqual(logits[0], logits[2])


class Table(unittest.TestCase):
    def test_numbers_actions_as_the_agent_does(self):
        drawn = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 1] + [0] * 12
        self.assertEqual(long_flow_policy.table(drawn), [0, 1, 2, 6, 11, 0, 0, 0, 0])


@unittest.skipIf(PROGRAM is None, "without a program")
class OnThePlatform(unittest.TestCase):
    def test_actions_change_a_run_and_the_same_actions_repeat_it(self):
        with tempfile.TemporaryDirectory() as name:
            platform = long_flow_policy.Platform(PROGRAM, long_flow_policy.CONFIG, pathlib.Path(name))
            alone = platform.without(1)
            slow = platform.slowdown(1, [4] * 9)  # action 4, a quarter of the link rate, in every state
            self.assertGreater(slow, alone)
            self.assertEqual(platform.slowdown(1, [4] * 9), slow)


if __name__ == "__main__":
    unittest.main()
