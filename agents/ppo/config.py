"""The configuration of a training run: its sections and keys, what each means, its default and what it may be.

The networks and their keys are in `network_config.py`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from agents.evaluation import FIRST_SEED
from agents.ppo.network_config import ColorSharedConfig, GridConfig, MlpConfig, PolicyConfig, TrumpConfig
from agents.ppo.sections import Number, Positive, Schedule, Section, Share, Whole
from eck_env.batch import MAX_SEED, TRAINING_SEEDS
from eck_env.checks import choice
from eck_env.eck.variant import Variant as EckVariant
from eck_env.numberless.variant import Variant as NumberlessVariant
from eck_env.registry import REGISTRY, AnyVariant, find_variant

_OF_VARIANTS = (
    "aces", "max_hands", "target", "trick_cards", "circle_follow", "num_players", "draft", "start_player", "opponents",
)  # fmt: skip


class EnvironmentConfig(Section):
    """What is played."""

    id: str = "Eck-v0"
    """A registered id, which sets the game and the variant."""
    aces: Literal["game", "pass"] | None = None
    """Of Gongor Whist, in place of the id's own: how long the Aces last."""
    max_hands: Whole | None = None
    """Of its first edition, in place of 40: the hands after which a game is lost."""
    target: Whole | None = None
    """Of ECK, in place of the id's own: the trick cards needed to win, 1 to 7."""
    trick_cards: list[str] | None = None
    """Likewise: the trick cards laid out, as texts such as "2" or "13/0"."""
    circle_follow: Literal["any", "same"] = "any"
    """Likewise: what may follow a circle that ECK leads: any card, or a circle of its color if held."""
    num_players: Whole | None = None
    """Of the game without numbers, in place of the id's own: how many play, 3 to 7."""
    draft: bool = True
    """Likewise: whether the hands are drafted."""
    start_player: Whole | Literal["any"] | None = None
    """Likewise: the seat that starts the first round, or any: one that is drawn by the seed."""
    opponents: str | None = None
    """Likewise: who plays at the other seats in evaluations, and in training where there is no pool."""
    episode: Literal["game", "round"] = "round"
    """What one episode is: the whole game, or one round, or hand, from a state that games reach."""
    reward: Literal["win", "round_value", "score", "share", "margin"] | None = None
    """``win``: +1 or -1 at the end of the game; ``round_value``: at the end of each round the change of the chance to
    win by the table of round values; ``score``: of Gongor Whist, the change of the points; ``share`` and ``margin``: of
    the game without numbers; null: ``round_value`` where the episode is a round, else ``win``, or ``share``."""
    round_values: str | None = None
    """The file of the table of round values; null: the one that is shipped for the variant."""

    @model_validator(mode="after")
    def _check_variant(self) -> EnvironmentConfig:
        choice(self.id, tuple(REGISTRY), "id")
        try:
            self.variant()
        except TypeError as error:
            raise ValueError(str(error)) from error
        return self

    def variant(self) -> AnyVariant:
        """Return the variant."""
        own = {name: getattr(self, name) for name in _OF_VARIANTS}
        given = {name: value for name, value in own.items() if value != type(self).model_fields[name].default}
        for name in given:
            if name not in asdict(find_variant(self.id)):
                raise ValueError(f"{name} is no keyword of {self.id}: leave it out")
        if given.get("start_player") == "any":
            given["start_player"] = None
        return find_variant(dict(REGISTRY[self.id].keywords) | given)

    def variant_keywords(self) -> dict[str, Any]:
        """Return the keywords of an environment that plays the variant, fit for JSON."""
        keywords = asdict(self.variant())
        return {name: list(value) if isinstance(value, tuple) else value for name, value in keywords.items()}

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of the environment to train on."""
        if isinstance(self.variant(), NumberlessVariant):
            return self.variant_keywords() | ({} if self.reward is None else {"reward": self.reward})
        training = {"episode": self.episode, "reward": self.reward, "round_values": self.round_values}
        return self.variant_keywords() | training


class PpoConfig(Section):
    """The numbers of proximal policy optimization; the names in brackets are Stable-Baselines3's."""

    steps_per_rollout: Annotated[Whole, Field(ge=1)] = 39
    """Decisions in each game between two updates (n_steps); a round of ECK has 13, a hand of Gongor Whist 8 to 15."""
    minibatch_size: Annotated[Whole, Field(ge=2)] = 4096
    """Decisions in each gradient step (batch_size)."""
    epochs: Annotated[Whole, Field(ge=1)] = 3
    """Passes over the decisions in each update (n_epochs)."""
    learning_rate: Schedule = Schedule(start=7e-4, decay="linear")
    """The step size of Adam."""
    entropy: Schedule = Schedule(start=0.02, decay="linear")
    """The weight of the policy's entropy in the objective (ent_coef)."""
    gamma: Share = 1.0
    """The discount; with 1, rewards by round values leave the best policy what it is."""
    gae_lambda: Share = 0.95
    """The mixing of long and short estimates of the advantage."""
    clip_range: Positive = 0.2
    """How far the policy may move in an update."""
    value_weight: Annotated[Number, Field(ge=0)] = 0.5
    """The weight of the value's error in the objective (vf_coef)."""
    max_grad_norm: Positive = 0.5
    """Gradients longer than this are shortened to it."""
    normalize_advantage: bool = True
    """Whether the advantages of a minibatch are scaled to mean 0 and deviation 1."""
    target_kl: Positive | None = None
    """An update stops early when the policy has moved this far; null: never."""


class ImitationConfig(Section):
    """Learning from an agent's recorded decisions, before PPO; see scripts/record.py."""

    data: str
    """The file of the decisions, recorded with the variant, the episode and the reward of this run."""
    learn: Literal["choices", "regrets"] = "choices"
    """What is learned of each decision: to choose as the agent did, or to lose little by its choice as the agent, a
    search, judged all of them; for that scripts/record.py records with --regrets. The second tells more of each."""
    temperature: Annotated[Number, Field(gt=0)] = 1.0
    """What the logits are divided by while choices are learned. A policy that has become sure of itself learns nothing
    from choices that it never makes; above 1 it considers them again."""
    epochs: Annotated[Whole, Field(ge=1)] = 6
    """Passes over the decisions."""
    minibatch_size: Annotated[Whole, Field(ge=1)] = 4096
    """Decisions in each gradient step."""
    learning_rate: Schedule = Schedule(start=2e-3, decay="linear")
    """The step size of Adam."""
    value_weight: Annotated[Number, Field(ge=0)] = 2.0
    """The weight of the value's error beside the choices'; its target is what the rewards to the end of the episode
    added up to. With 0 the value is not learned."""


class PoolConfig(Section):
    """Self-play in the game without numbers: who plays at the other seats."""

    every_steps: Annotated[Whole, Field(ge=1)] = 100_000
    """Decisions between two policies that are taken into the pool."""
    size: Annotated[Whole, Field(ge=1)] = 6
    """How many earlier policies the pool has at most."""
    newest_share: Share = 0.6
    """The share of the games, without those of fixed agents, that is played against the newest policy of the pool."""
    fixed: list[str] = Field(default=[])
    """Agents that stay in the pool, such as heuristic."""
    fixed_share: Annotated[Number, Field(ge=0, lt=1)] = 0.25
    """The share of the games that is played against these."""


class CheckpointConfig(Section):
    """When the state of the run is stored; decisions that are imitated count as those of PPO do."""

    every_steps: Annotated[Whole, Field(ge=1)] = 1_000_000
    """Decisions between two checkpoints; each is stored after the update that passes the mark."""
    keep: Annotated[Whole, Field(ge=1)] = 3
    """How many of the newest are kept; with 2 or more, a damaged one loses little."""


EvaluationSeed = Annotated[Whole, Field(ge=TRAINING_SEEDS, lt=MAX_SEED)]


class EvaluationConfig(Section):
    """Whole games on fixed deals while the policy learns, to follow it and to keep the best one."""

    every_steps: Annotated[Whole, Field(ge=1)] = 1_000_000
    """Decisions between two evaluations."""
    games: Annotated[Whole, Field(ge=1)] = 1000
    """Games in each, always the same deals."""
    first_seed: EvaluationSeed = FIRST_SEED + 2**20
    """The seed of the first game, from 2**30 up. Not those of the final evaluation: the best policy is chosen here."""


class FinalConfig(Section):
    """The evaluation at the end of the run, whose table is shown."""

    games: Annotated[Whole, Field(ge=1)] = 2000
    """Games that each agent plays, all on the same deals."""
    first_seed: EvaluationSeed = FIRST_SEED
    """The seed of the first game, from 2**30 up."""
    opponents: list[str] = Field(default=["heuristic", "random"])
    """Agents to compare with, as `scripts/evaluate.py` takes them."""


class TrainingConfig(Section):
    """A training run."""

    seed: Annotated[Whole, Field(ge=0, lt=2**32)] = 0
    """All randomness of the run follows from it: the same seed gives the same policy on the same machine."""
    threads: Annotated[Whole, Field(ge=1)] = 1
    """Threads of PyTorch; with networks as small as these, more than one seldom helps."""
    num_games: Annotated[Whole, Field(ge=1, le=2**20)] = 2048
    """Games played at the same time."""
    total_steps: Annotated[Whole, Field(ge=1)]
    """Decisions to train on; the run ends with the update that reaches them."""
    warm_start: str | None = None
    """A checkpoint whose network the run begins with, such as runs/eck/best.zip; the network must be of the same kind
    and size. What it looks up in the table of round values is that of this run."""
    imitation: ImitationConfig | None = None
    """What comes before PPO, if anything."""
    environment: EnvironmentConfig = EnvironmentConfig()
    pool: PoolConfig | None = None
    """For self-play: earlier policies at the other seats."""
    policy: PolicyConfig = MlpConfig(network="mlp")
    ppo: PpoConfig = PpoConfig()
    checkpoints: CheckpointConfig = CheckpointConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    final: FinalConfig = FinalConfig()

    @model_validator(mode="after")
    def _check_minibatches(self) -> TrainingConfig:
        rollout, size = self.rollout_size, self.ppo.minibatch_size
        if size > rollout or rollout % size == 1:
            raise ValueError(
                f"ppo.minibatch_size is {size}, but an update has num_games * ppo.steps_per_rollout = {rollout} "
                "decisions: choose at most that many, and so that no single one is left over"
            )
        return self

    @model_validator(mode="after")
    def _check_network(self) -> TrainingConfig:
        eck = isinstance(self.environment.variant(), EckVariant)
        numberless = isinstance(self.environment.variant(), NumberlessVariant)
        if self.pool is not None and not numberless:
            raise ValueError(f"pool is for games of several players, which {self.environment.id} is not: leave it out")
        if numberless and self.environment.episode == "round":
            raise ValueError("the game without numbers is trained by whole games: set environment.episode to game")
        if numberless or isinstance(self.policy, GridConfig):
            if not (numberless and isinstance(self.policy, GridConfig | MlpConfig)):
                raise ValueError(
                    f"policy.network is {self.policy.network}, which is for another game than {self.environment.id}: "
                    f"choose {'grid or mlp' if numberless else 'another'}"
                )
        elif isinstance(self.policy, ColorSharedConfig if not eck else TrumpConfig):
            raise ValueError(
                f"policy.network is {self.policy.network}, which is for another game than {self.environment.id}: "
                f"choose {'color_shared' if eck else 'trump'} or mlp"
            )
        return self

    @model_validator(mode="after")
    def _check_relative(self) -> TrainingConfig:
        by_values = self.environment.episode == "round" and self.environment.reward in (None, "round_value")
        if self.relative and not by_values:
            key, other = (
                ("policy.relative", "false") if isinstance(self.policy, TrumpConfig) else ("policy.reads", "worths")
            )
            raise ValueError(
                f"{key} is {'true' if other == 'false' else 'relative_worths'}, which divides the rewards of rounds: "
                f"set environment.episode to round and environment.reward to round_value, or {key} to {other}"
            )
        return self

    @property
    def relative(self) -> bool:
        """Whether the rewards are divided by what is at stake in the round, or hand."""
        return isinstance(self.policy, ColorSharedConfig | TrumpConfig) and self.policy.relative

    @property
    def rollout_size(self) -> int:
        """Decisions in each update."""
        return self.num_games * self.ppo.steps_per_rollout
