// Gongor Whist's part of the table: bids, trump, Aces, points, and what is chosen beside cards.

import { back, place, symbol, tile } from "./art.js";
import { $, fill, make } from "./dom.js";
import { backs, tiles } from "./table.js";
import { SUITS } from "./words.js";

const HAND_SIZE = 7;
const BIDS = 8;

const suitOf = (letter) => SUITS[letter];

export function drawGongor(view) {
  drawBids(view);
  drawStanding(view);
  const left = HAND_SIZE - view.tricks_won - view.tricks_lost - (view.lead ? 1 : 0);
  fill($("deck"), left > 0 ? back() : place(""));
  $("deck-label").textContent = `${Math.max(left, 0)} in its hand`;
  fill($("eck-pile"), ...(view.tricks_lost ? backs(view.tricks_lost) : [place("")]));
  $("eck-tricks").textContent = `the dummy took ${view.tricks_lost}`;
  fill($("your-pile"), ...(view.tricks_won ? backs(view.tricks_won) : [place("")]));
  $("your-tricks").textContent = `you took ${view.tricks_won}`;
  tiles("aces", view.aces_seen);
  tiles("seen", view.seen);
  fill($("memory"), make("ul", { class: "tiles" }, ...view.hidden.map((card) => make("li", {}, tile(card)))));
}

function drawBids(view) {
  fill($("bids"), ...Array.from({ length: BIDS }, (_, bid) => {
    const [kind, said] = view.bid === bid ? ["now", "your bid"] : view.bids_left.includes(bid) ? ["", "can still be bid"] : ["gone", "has been bid"];
    return make("li", { class: kind, title: `${bid}: ${said}` }, make("span", { "aria-hidden": "true" }, String(bid)), make("span", { class: "unseen" }, `${bid}: ${said}`));
  }));
}

function drawStanding(view) {
  const fact = (name, ...value) => make("div", {}, make("dt", {}, name), make("dd", {}, ...value));
  const trump = view.trump ? [symbol(suitOf(view.trump)), make("span", { id: "trump" }, suitOf(view.trump))] : [make("span", { id: "trump" }, "none")];
  fill(
    $("gongor-standing"),
    fact("Trump", ...trump),
    fact("Aces left", String(view.aces_left)),
    fact("Bid", make("span", { id: "bid" }, view.bid === null ? "–" : `${view.tricks_won} of ${view.bid}`)),
    ...view.score.map(([name, value]) => fact(name, make("span", { class: "score" }, value))),
    fact(view.hand_number % 2 ? "Back hand" : "Fore hand", `${view.round_number} of ${view.max_hands}`),
  );
}

// Draws what is to be chosen beside cards, as buttons, and returns them.
export function drawChoices(choices, { play, marked, badges, explain, rove }) {
  const buttons = choices.map((choice) => {
    const button = make("button", {
      type: "button", tabindex: -1, "data-card": choice.card, title: choice.why ?? false,
      class: [choice.legal ? "" : "illegal", marked === choice.card ? "marked" : ""].join(" "),
      "aria-label": choice.card.startsWith("bid") ? `Bid ${choice.label}${choice.legal ? "" : `: ${choice.why}`}` : null,
      "aria-disabled": choice.legal && play ? null : "true",
    }, choice.label);
    if (badges?.has(choice.card)) button.append(make("span", { class: "badge", "aria-hidden": "true" }, badges.get(choice.card)));
    button.addEventListener("click", () => {
      if (!choice.legal) explain(choice);
      else if (play) play(choice.card);
    });
    button.addEventListener("focus", () => rove(button));
    return button;
  });
  fill($("choices"), ...buttons);
  $("choices").hidden = !buttons.length;
  return buttons;
}
