// The game without numbers' part of the table: who sits where, the pot, what you keep, and what you have seen.

import { cardFace, deckOf, place as emptyPlace, tile, words } from "./art.js";
import { $, fill, make } from "./dom.js";

const HAND_SIZE = 7;

const seatName = (seat) => (seat === 0 ? "You" : `Seat ${seat}`);
const inWords = (count) => `${count} ${count === 1 ? "card" : "cards"}`;

export function drawNumberless(view) {
  drawSeats(view, view.turn);
  drawPot(view, view.pot, view.words.pattern);
  $("numberless-round").textContent = view.pick ? `Draft: pick ${view.pick} of ${HAND_SIZE}` : `Round ${view.round_number}`;
  $("kept-part").hidden = view.phase !== "draft";
  fill($("kept"), ...view.kept.map((card) => make("li", {}, tile(card))));
  drawSeen(view);
}

function drawSeats(view, turn) {
  fill($("seats"), ...view.counts.map((count, seat) => {
    const marks = [view.start === seat ? (view.phase === "draft" ? "starts later" : "started") : "", turn === seat ? "to move" : ""].filter(Boolean);
    return make("li", { class: turn === seat ? "now" : "" },
      make("b", {}, seatName(seat)), make("span", { class: "who" }, seat ? view.variant.opponents[seat - 1] : "seat 0"),
      make("span", {}, `${view.hand_sizes[seat]} in hand, ${view.collected[seat]} collected`),
      make("span", { class: "count" }, `counts ${count}`), make("span", { class: "marks" }, marks.join(", ")));
  }));
}

// The pot in order, with who played each card.
function drawPot(view, pot, pattern) {
  const cards = pot.map(({ card, seat }) => make("li", {}, cardFace(card, `${seatName(seat)}: ${words(card)}`), make("span", {}, seatName(seat))));
  fill($("pot"), ...(cards.length ? cards : [make("li", {}, emptyPlace("no card yet"))]));
  $("pot-title").textContent = `Pot: ${inWords(pot.length)}`;
  $("pattern").textContent = pattern ?? (view.phase === "draft" ? "the draft comes first" : "no pattern yet");
}

// Shows one by one what happened after your card: cards that are played, and who takes the pot.
export async function showEvents(before, view, { onTable, rest, say }) {
  let pot = [...before.pot];
  for (const event of view.events) {
    if (event.card) pot = [...pot, event];
    say(event.words);
    drawPot(view, pot, "");
    await rest();
    if (!onTable()) return;
    if (!event.card) pot = [];
  }
}

// All cards as a table: figures by colors.
function drawSeen(view) {
  const deck = deckOf("numberless");
  const colors = [...new Set(deck.map((card) => card.color))];
  const passed = new Set(view.seen.flat());
  const who = new Map(view.played.flatMap((cards, seat) => cards.map((card) => [card, seat])));
  const mine = new Set(view.hand.map((card) => card.card));
  const state = (card) => {
    if (view.pot.some((lying) => lying.card === card)) return ["▶", "led", "in the pot"];
    if (who.has(card)) return [who.get(card) ? String(who.get(card)) : "■", "gone", `played by ${seatName(who.get(card))}`];
    if (view.kept.includes(card)) return ["■", "mine", "kept by you"];
    if (mine.has(card)) return ["■", "mine", view.phase === "draft" ? "in the hand you choose from" : "in your hand"];
    return passed.has(card) ? ["▲", "up", "passed on in the draft"] : ["●", "down", "never seen"];
  };
  const rows = [...new Set(deck.map((card) => card.figure))].map((figure) => make("tr", {}, make("th", { scope: "row" }, figure),
    ...deck.filter((card) => card.figure === figure).map((card) => {
      const [sign, kind, said] = state(card.name);
      return make("td", { class: kind, title: `${card.words}: ${said}` }, make("span", { "aria-hidden": "true" }, sign), make("span", { class: "unseen" }, `${card.words}: ${said}`));
    })));
  const heads = colors.map((color) => make("th", { scope: "col", title: color }, make("span", { "aria-hidden": "true" }, color.slice(0, 2)), make("span", { class: "unseen" }, color)));
  fill($("memory"), make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows)),
    make("p", { class: "quiet" }, "■ yours, ▶ in the pot, ▲ passed on by you in the draft, ● never seen, a number: played by that seat"));
}
