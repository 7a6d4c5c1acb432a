"""A network for Gongor Whist that is told what the rules say of cards and bids, as a policy of MaskablePPO.

What card beats which under which trump, and what the tricks of a hand will be worth, need not be learned: the rules
and the table of round values say it. So the network reads, beside the observation, how many of the leads that may come
each card in hand beats, whether it takes the trick, how many tricks the hand would then take in all, and what the game
would be worth after that; the latter in units of what is at stake (`stakes`). All cards are judged by the same weights,
each by what is known of it and by the features of the whole; so are all bids.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from agents.ppo.heads import Heads, HeadsPolicy
from eck_env.gongor_whist.cards import HAND_SIZE, NUM_CARDS, NUM_SUITS, RANK
from eck_env.gongor_whist.observation import LAYOUT, SIZE, SLICES
from eck_env.gongor_whist.players import BEATEN
from eck_env.gongor_whist.round_values import RoundValues, load_round_values
from eck_env.gongor_whist.rules import KEEP, LOST, NUM_ACTIONS, NUM_BIDS, WON, dummys_points, your_points
from eck_env.gongor_whist.standing import HIGHEST, LOWEST, final_value
from eck_env.gongor_whist.variant import FIRST_EDITION, SCORINGS, SHUT_THE_BOX, TWO_COLUMNS, make_variant

_TRUMPS = NUM_SUITS + 1
_COUNTS = HAND_SIZE + 1
_HIDDEN = 64  # numbers in the layer that judges a card or a bid
_CLIP = 5.0  # worths beyond so many units say no more
_OF_A_CARD, _OF_A_BID, _OF_A_TWIDDLE = 10, 5, 4
"""How many numbers are told of each card, of each bid, and of twiddling."""
_READ = SIZE + 2 * _TRUMPS + 2 * _COUNTS + NUM_BIDS + 2 + _OF_A_TWIDDLE
# How far the tricks of a hand are off what its cards promise: the variance at the end, and for each trick to come.
_VARIANCE_END, _VARIANCE_SLOPE, _VARIANCE_TURNED = 0.05, 0.22, 0.3


def stakes(table: RoundValues) -> NDArray[np.float64]:
    """Return how much is at stake in a hand that starts from each state, by progress and points.

    Divided by this, the rewards of a hand are of one size, whether the game is nearly lost or nearly won, and all hands
    weigh alike. Each hand keeps its best play, for all its rewards are divided by the same number: it does not depend
    on the Aces left, which change within a hand.
    """
    spreads = table.spreads.max(axis=2)
    units: NDArray[np.float64] = np.where(spreads > 0, spreads, 1.0)
    return units


def after_table(table: RoundValues) -> NDArray[np.float32]:
    """Return what a game is worth after a hand, by progress, points and Aces: the table, and its edges where it ends.

    In shut the box and two columns no bids left are the end; in the first edition one more row, for no hands left, and
    more columns, for points that win.
    """
    scoring, values = SCORINGS.index(table.variant.scoring), table.values.copy()
    if scoring == SHUT_THE_BOX:
        values[0] = 1.0
    elif scoring == TWO_COLUMNS:
        leads = np.arange(LOWEST[scoring], HIGHEST[scoring] + 1)
        values[0] = (0.5 + 0.5 * np.sign(leads))[:, np.newaxis]
    else:
        most = table.variant.max_hands
        values = np.pad(values, ((0, 1), (0, HAND_SIZE), (0, 0)))
        values[most] = final_value(scoring, LOST, most, most)
        won = [final_value(scoring, WON, hands, most) for hands in range(most + 1)]
        values[:, -HAND_SIZE:] = np.array(won)[:, np.newaxis, np.newaxis]
    return values.astype(np.float32)


def _gains(scoring: int) -> NDArray[np.int64]:
    """Return what a hand adds to the points that count, by back hand, bid and tricks, shape (2, 8, 8)."""
    return np.array(
        [
            [
                [
                    your_points(scoring, bid, taken, back) - dummys_points(scoring, bid, taken)
                    for taken in range(_COUNTS)
                ]
                for bid in range(NUM_BIDS)
            ]
            for back in (False, True)
        ]
    )


class TrumpExtractor(BaseFeaturesExtractor):
    """Reads flat observations; returns the features of the whole, then what is told of each card, bid and of twiddling.

    Shape (n, width + 30 * 10 + 8 * 5 + 4).
    """

    beaten: Tensor
    after: Tensor
    units: Tensor
    gains: Tensor
    scales: Tensor
    powers: Tensor
    ranks: Tensor

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        scoring: str,
        aces: str = "game",
        max_hands: int | None = None,
        round_values: str | None = None,
        relative: bool = True,
        width: int = 128,
        depth: int = 2,
    ) -> None:
        super().__init__(observation_space, width + NUM_CARDS * _OF_A_CARD + NUM_BIDS * _OF_A_BID + _OF_A_TWIDDLE)
        if observation_space.shape != (SIZE,):
            raise ValueError('this network reads flat observations: observation must be "flat"')
        self.relative, self.width = relative, width
        variant = make_variant(scoring, aces, max_hands)
        table = load_round_values(variant, round_values)
        table.check_variant(variant)
        self._scoring, self._renewed = SCORINGS.index(scoring), aces == "pass"
        self._lowest = LOWEST[self._scoring]
        bits = (BEATEN[:, :, np.newaxis] >> np.arange(NUM_CARDS)) & 1  # trump, card, lead
        self.register_buffer("beaten", torch.tensor(bits.reshape(_TRUMPS * NUM_CARDS, NUM_CARDS), dtype=torch.float32))
        self.register_buffer("after", torch.from_numpy(after_table(table)))
        self.register_buffer("units", torch.tensor(stakes(table), dtype=torch.float32))
        self.register_buffer("gains", torch.from_numpy(_gains(self._scoring)))
        self.register_buffer("scales", torch.tensor(1.0 / LAYOUT.highs(), dtype=torch.float32))
        self.register_buffer("powers", 2 ** torch.arange(NUM_BIDS))
        self.register_buffer("ranks", torch.tensor(RANK / RANK.max(), dtype=torch.float32))
        layers = [nn.Linear(*pair) for pair in pairwise([_READ, *[width] * depth])]
        self.layers = nn.Sequential(*(part for layer in layers for part in (layer, nn.ReLU())))

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of flat observations, shape (n, 166)."""
        observations = observations.float()
        with torch.no_grad():  # none of it is learned
            whole, cards, bids, twiddle = self._told(observations)
        features = self.layers(torch.cat([observations * self.scales, whole, twiddle], 1))
        return torch.cat([features, cards.flatten(1), bids.flatten(1), twiddle], 1)

    def _told(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what the rules and the table say: of the whole, of each card, of each bid, of twiddling."""
        hand, lead, played, seen, trump, aces_seen = (
            observations[:, SLICES[name]] for name in ("hand", "lead", "played", "seen", "trump", "aces_seen")
        )
        won = observations[:, SLICES["tricks_won"]]
        to_come = HAND_SIZE - won - observations[:, SLICES["tricks_lost"]]
        unseen = 1.0 - hand - lead - played - seen
        share = unseen / unseen.sum(1, keepdim=True).clamp(min=1.0)
        beats = (share @ self.beaten.T).reshape(-1, _TRUMPS, NUM_CARDS)
        takes = (lead @ self.beaten.T).reshape(-1, _TRUMPS, NUM_CARDS)
        totals = (beats * hand.unsqueeze(1)).sum(2)  # by trump
        turned = self._chances(aces_seen, trump)
        beats_now, takes_now = (beats * trump.unsqueeze(2)).sum(1), (takes * trump.unsqueeze(2)).sum(1)
        expected = won + takes_now + ((totals * trump).sum(1, keepdim=True) - beats_now)
        by_trump = won.unsqueeze(2) + takes + totals.unsqueeze(2) - beats  # trump, card
        if_turned = (by_trump * turned.unsqueeze(2)).sum(1)
        worths, made, now = self._worths(observations)
        left_after = (to_come - 1.0).clamp(min=0.0)
        keep_value = _expect(worths, expected, left_after)
        turn_value = _expect(worths, if_turned, left_after + _VARIANCE_TURNED / _VARIANCE_SLOPE)
        bid = (observations[:, SLICES["bid"]] * torch.arange(NUM_BIDS, device=observations.device)).sum(1, keepdim=True)
        cards = torch.stack(
            [
                hand, takes_now, beats_now, self.ranks.expand_as(hand), (expected - bid) / 2.0, (expected - bid).abs(),
                keep_value, (if_turned - bid) / 2.0, turn_value, (turn_value - keep_value).clamp(-1.0, 1.0),
            ],
            2,
        )  # fmt: skip
        total_now = (totals * trump).sum(1, keepdim=True)
        counts = torch.arange(NUM_BIDS, device=observations.device).unsqueeze(0)
        left = observations[:, SLICES["bids_left"]]
        bids = torch.stack(
            [left, self._bid_values(observations, total_now, now), made, (total_now - counts) / 2.0,
             (total_now - counts).abs()], 2,
        )  # fmt: skip
        after_played = won.unsqueeze(2) + (takes * played.unsqueeze(1)).sum(2, keepdim=True) + totals.unsqueeze(2)
        by_turn = after_played[:, :, 0]  # tricks in all by trump, once a card is played
        values = _expect(worths, by_turn, left_after)
        kept, turning = (values * trump).sum(1, keepdim=True), (values * turned).sum(1, keepdim=True)
        twiddle = torch.cat([kept, turning, (turning - kept).clamp(-1.0, 1.0), turned.sum(1, keepdim=True)], 1)
        tricks = (totals / 2.0, by_turn / HAND_SIZE, total_now / 2.0, to_come / HAND_SIZE)
        possible = ((counts >= won) & (counts <= won + to_come)).float()
        whole = torch.cat([*tricks, worths, possible, made * left], 1)
        return whole, cards, bids, twiddle

    def _chances(self, aces_seen: Tensor, trump: Tensor) -> Tensor:
        """Return how likely each trump is after a twiddle, shape (n, 7); with no Ace left, no trump."""
        down = 1.0 - aces_seen
        count = down.sum(1, keepdim=True)
        none = (count == 0).float()
        return torch.cat([down / count.clamp(min=1.0), none], 1)

    def _worths(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return what each count of tricks is worth after this bid, each bid that is made, and the game now.

        The first two in units of what is at stake, less what the game is worth now, shape (n, 8); the last has shape
        (n, 1).
        """
        bid = observations[:, SLICES["bid"]].long()
        progress, place, aces = self._state(observations)
        now, unit = self.after[progress, place, aces].unsqueeze(1), self._unit(progress, place).unsqueeze(1)
        gains = self._gains_of(observations)
        after_bid = self._progress_after(progress.unsqueeze(1), self.powers.unsqueeze(0))  # n, bid
        counts = torch.arange(_COUNTS, device=observations.device).unsqueeze(0)
        gained, chosen = (gains * bid.unsqueeze(2)).sum(1), (after_bid * bid).sum(1, keepdim=True)
        is_made = (bid * counts).sum(1, keepdim=True) == counts
        next_aces = self._next_aces(observations, aces)
        by_tricks = self._value(chosen, place, gained, next_aces, is_made)
        made = gains.diagonal(dim1=1, dim2=2)
        by_bid = self._value(after_bid, place, made, next_aces, torch.ones_like(made, dtype=torch.bool))
        has_bid = bid.sum(1, keepdim=True).float()
        worths = ((by_tricks - now) / unit).clamp(-_CLIP, _CLIP) * has_bid
        return worths, ((by_bid - now) / unit).clamp(-_CLIP, _CLIP) * (1.0 - has_bid), now

    def _bid_values(self, observations: Tensor, total: Tensor, now: Tensor) -> Tensor:
        """Return what each bid promises, in units of what is at stake, if the hand takes the tricks that it should."""
        progress, place, aces = self._state(observations)
        gains, next_aces = self._gains_of(observations), self._next_aces(observations, aces)
        after_bid = self._progress_after(progress.unsqueeze(1), self.powers.unsqueeze(0))
        counts = torch.arange(_COUNTS, device=observations.device).unsqueeze(0)
        unit = self._unit(progress, place).unsqueeze(1)
        to_come = torch.full_like(total, float(HAND_SIZE))
        values = []
        for bid in range(NUM_BIDS):
            worths = self._value(after_bid[:, bid : bid + 1], place, gains[:, bid], next_aces, counts == bid)
            worths = ((worths - now) / unit).clamp(-_CLIP, _CLIP)
            values.append(_expect(worths, total, to_come))
        return torch.cat(values, 1)

    def _gains_of(self, observations: Tensor) -> Tensor:
        """Return what hands add to the points that count, by bid and tricks, shape (n, 8, 8)."""
        back = observations[:, SLICES["back"]].unsqueeze(2) != 0
        return torch.where(back, self.gains[1], self.gains[0])

    def _next_aces(self, observations: Tensor, aces: Tensor) -> Tensor:
        """Return how many Aces the next hand has."""
        if not self._renewed:
            return aces
        return torch.where(observations[:, SLICES["back"].start] != 0, NUM_SUITS - 1, aces)

    def _state(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return where in the tables the hand of each observation started, with the Aces that are left now."""
        debt = observations[:, SLICES["debt"]].long()
        lead = observations[:, SLICES["points"]].long()[:, 0] - 10 * debt[:, 0] - debt[:, 1]
        lead = lead - observations[:, SLICES["dummy"]].long()[:, 0]
        if self._scoring == SHUT_THE_BOX:
            lead = lead * 0
        place = (lead - self._lowest).clamp(0, self.after.shape[1] - 1)
        aces = observations[:, SLICES["aces_left"]].long()[:, 0]
        if self._scoring == FIRST_EDITION:
            return observations[:, SLICES["hand_number"]].long()[:, 0], place, aces
        bids = observations[:, SLICES["bids_left"]].long() + observations[:, SLICES["bid"]].long()
        return (bids.clamp(max=1) * self.powers).sum(1), place, aces

    def _unit(self, progress: Tensor, place: Tensor) -> Tensor:
        """Return what is at stake, shape (n,)."""
        return self.units[progress.clamp(max=self.units.shape[0] - 1), place.clamp(max=self.units.shape[1] - 1)]

    def _progress_after(self, progress: Tensor, bits: Tensor) -> Tensor:
        """Return where a hand leads to on the first axis, by bid; of bids that are not left it says nothing true."""
        if self._scoring == FIRST_EDITION:
            return (progress + 1 + 0 * bits).clamp(max=self.after.shape[0] - 1)
        return (progress - bits).clamp(min=0)

    def _value(self, progress: Tensor, place: Tensor, gains: Tensor, aces: Tensor, made: Tensor) -> Tensor:
        """Return what games are worth after a hand, shape (n, 8)."""
        if self._scoring == SHUT_THE_BOX:
            return self.after[progress, 0, aces.unsqueeze(1)] * made.float()
        places = (place.unsqueeze(1) + gains).clamp(0, self.after.shape[1] - 1)
        return self.after[progress.expand_as(places), places, aces.unsqueeze(1)]

    def reward_units(self, observations: Tensor) -> Tensor:
        """Return what the values of flat observations are to be multiplied by, shape (n,)."""
        progress, place, _ = self._state(observations.float())
        return self._unit(progress, place)


def _expect(worths: Tensor, tricks: Tensor, to_come: Tensor) -> Tensor:
    """Return what is to be expected when so many tricks are, give or take, of counts that are worth so much.

    Args:
        worths: By count of tricks, shape (n, 8).
        tricks: How many tricks are expected, shape (n, k).
        to_come: How many of them are still to be played, shape (n, 1).
    """
    counts = torch.arange(_COUNTS, device=worths.device)
    variance = (_VARIANCE_END + _VARIANCE_SLOPE * to_come).unsqueeze(2)
    weights = torch.softmax(-0.5 * (counts - tricks.unsqueeze(2)) ** 2 / variance, 2)
    return (weights * worths.unsqueeze(1)).sum(2)


class ActionLogits(nn.Module):
    """The logits of the 40 actions: every card, and every bid, by the same weights."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.card, self.card_whole, self.card_logit = _judge(_OF_A_CARD, width)
        self.bid, self.bid_whole, self.bid_logit = _judge(_OF_A_BID, width)
        self.twiddle = nn.Linear(width + _OF_A_TWIDDLE, NUM_ACTIONS - KEEP)

    def forward(self, features: Tensor) -> Tensor:
        """Return logits, shape (n, 40), from features of `TrumpExtractor`."""
        sizes = [self.width, NUM_CARDS * _OF_A_CARD, NUM_BIDS * _OF_A_BID, _OF_A_TWIDDLE]
        whole, cards, bids, twiddle = torch.split(features, sizes, 1)
        seen = torch.relu(self.card(cards.reshape(-1, NUM_CARDS, _OF_A_CARD)) + self.card_whole(whole).unsqueeze(1))
        offered = torch.relu(self.bid(bids.reshape(-1, NUM_BIDS, _OF_A_BID)) + self.bid_whole(whole).unsqueeze(1))
        last = self.twiddle(torch.cat([whole, twiddle], 1))
        return torch.cat([self.bid_logit(offered)[:, :, 0], self.card_logit(seen)[:, :, 0], last], 1)


def _judge(told: int, width: int) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
    """Return the layers that judge something by what is told of it, and by the features of the whole."""
    return nn.Linear(told, _HIDDEN), nn.Linear(width, _HIDDEN, bias=False), nn.Linear(_HIDDEN, 1)


class WholeValue(nn.Module):
    """The value, from the features of the whole."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.linear = nn.Linear(width, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Return values, shape (n, 1), from features of `TrumpExtractor`."""
        value: Tensor = self.linear(features[:, : self.width])
        return value


class TrumpPolicy(HeadsPolicy):
    """MaskablePPO's policy with a `TrumpExtractor` and heads that judge cards and bids by shared weights."""

    def _make_heads(self) -> Heads:
        extractor: Any = self.features_extractor
        logits, value = ActionLogits(extractor.width), WholeValue(extractor.width)
        last = ((logits.card_logit, 0.1), (logits.bid_logit, 0.1), (logits.twiddle, 0.01), (value.linear, 1.0))
        return logits, value, last
