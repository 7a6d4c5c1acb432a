// Labels. Everything that happens in a game comes from the server in words.

import { words } from "./art.js";

export const STATUS = { colored: "open", gray: "gray", yours: "yours", eck: "ECK's" };
export const EFFECTS = {
  win: "win the game", collect: "collect the card", fail: "no card: the counter moves on",
  gray: "ECK's card turns gray", lose: "lose the game",
};

export const tricks = (count) => `${count} ${count === 1 ? "trick" : "tricks"}`;

export const SUITS = { M: "Moons", S: "Suns", W: "Waves", L: "Leaves", Y: "Wyrms", K: "Knots" };

export const handCardWords = (card) => words(card.card) + (card.legal ? "" : `, not playable: ${card.why}`);

export const lastTrickWords = (view) => (view.words.trick ? [view.trick ? "Last trick:" : "", view.words.trick, view.words.taker ?? ""].join(" ").trim() : "");
