// Draws the table: what the server says is to be seen, and nothing else.

import { allCards, back, cardFace, colorOf, counterCard, isCard, place as emptyPlace, symbol, tile, trickCard, useDeck, words } from "./art.js";
import { $, fill, make, percent } from "./dom.js";
import { drawChoices, drawGongor } from "./gongor.js";
import { drawNumberless } from "./numberless.js";
import { state } from "./state.js";
import { EFFECTS, STATUS, handCardWords, lastTrickWords, tricks } from "./words.js";

const SIGNS = { win: "★", collect: "✓", gray: "◐", lose: "✕", fail: "–" };
const MOST_BACKS = 13;

export const GONGOR = "gongor_whist";
export const NUMBERLESS = "numberless";
const MEMORY = {
  eck: "Cards that are still face down",
  [GONGOR]: "Cards not seen in this pass",
  [NUMBERLESS]: "All cards: where you saw them",
};

// Shows what belongs to the game that is played, and hides what belongs to others.
function setGame(game) {
  useDeck(game);
  for (const part of document.querySelectorAll("[data-game]")) part.hidden = !part.dataset.game.split(" ").includes(game);
  const gongor = game === GONGOR;
  $("game-title").textContent = document.title = state.about.games[game];
  $("eck-title").textContent = gongor ? "The dummy" : "ECK";
  $("eck-label").textContent = gongor ? "The dummy leads" : "ECK plays";
  $("memory-title").textContent = MEMORY[game];
}

export function drawTable(view, message = view.words.turn ?? view.words.outcome) {
  setGame(view.game);
  if (view.game === GONGOR) {
    drawGongor(view);
    showTrick({ eck: view.lead, you: view.played, held: [] });
  } else if (view.game === NUMBERLESS) {
    drawNumberless(view);
  } else {
    drawGoals(view);
    drawProspects(view);
    drawPiles(view);
    showTrick({ eck: view.lead, you: null, held: view.trick ? view.trick.turned_over : [] });
    drawMemory(view);
  }
  say(message);
  $("last").textContent = lastTrickWords(view);
  $("variant").textContent = view.variant.title;
  $("deal-code").textContent = view.deal;
}

export function say(message) {
  $("message").textContent = message;
}

function drawGoals(view) {
  fill($("trick-cards"), ...view.variant.trick_cards.map((name) => {
    const status = view.trick_cards[name];
    const label = make("span", { class: `status ${status}` }, STATUS[status]);
    return make("li", {}, trickCard(name, status), make("span", { class: "unseen" }, `Card ${name}: `), label);
  }));
  const collected = Object.values(view.trick_cards).filter((status) => status === "yours").length;
  const fact = (name, ...value) => make("div", {}, make("dt", {}, name), make("dd", {}, ...value));
  fill(
    $("standing"),
    fact("Counter", counterCard(view.counter), make("span", { class: "unseen" }, view.counter)),
    fact("Collected", make("strong", { id: "collected" }, `${collected} of ${view.target}`)),
    fact("Round", make("strong", { id: "round" }, String(view.round_number))),
  );
}

function drawProspects(view) {
  $("prospects").hidden = $("prospects-title").hidden = !view.prospects.length;
  const known = new Map(view.prospects.map((prospect) => [prospect.tricks, prospect.effects]));
  fill($("prospects"), ...Array.from({ length: 14 }, (_, count) => {
    const effects = known.get(count);
    if (!effects) return make("li", { class: "off" }, make("span", { class: "unseen" }, `${tricks(count)}: no longer possible`), make("b", { "aria-hidden": "true" }, String(count)));
    const main = ["win", "lose", "collect", "gray", "fail"].find((effect) => effects.includes(effect));
    const said = effects.filter((effect) => !(effect === "collect" && effects.includes("win"))).map((effect) => EFFECTS[effect]).join(", ");
    return make("li", { class: main, title: `${tricks(count)}: ${said}` },
      make("b", { "aria-hidden": "true" }, String(count)), make("i", { "aria-hidden": "true" }, SIGNS[main]),
      make("span", { class: "unseen" }, `${tricks(count)}: ${said}`));
  }));
}

export const backs = (count) => Array.from({ length: Math.min(count, MOST_BACKS) }, back);

function drawPiles(view) {
  const down = view.face_down.length;
  fill($("deck"), down ? back() : emptyPlace(""));
  $("deck-label").textContent = `${down} in its deck`;
  fill($("eck-pile"), ...(view.tricks_lost ? backs(view.tricks_lost) : [emptyPlace("")]));
  $("eck-tricks").textContent = `ECK took ${view.tricks_lost}`;
  fill($("your-pile"), ...(view.tricks_won ? backs(view.tricks_won) : [emptyPlace("")]));
  $("your-tricks").textContent = `you took ${view.tricks_won}`;
  fill($("tied"), ...(view.tied ? backs(2 * view.tied) : [emptyPlace("")]));
  $("tied-label").textContent = view.tied ? `${view.tied} set aside` : "none";
  tiles("face-up", view.face_up);
}

export function tiles(id, cards) {
  fill($(id), ...(cards.length ? cards.map((card) => make("li", {}, tile(card))) : [make("li", { class: "quiet" }, "none")]));
}

// The trick that is being played; cards may be null.
export function showTrick({ eck, you, held }) {
  fill($("eck-card"), eck ? cardFace(eck, words(eck)) : emptyPlace("no card yet"));
  fill($("your-card"), you ? cardFace(you, words(you)) : emptyPlace("no card yet"));
  tiles("held", held);
}

// --- The hand --------------------------------------------------------------------------------------------------------

// Draws the hand as buttons; `play` is called with a legal card. Without `play` nothing can be played.
export function drawHand(view, { play = null, marked = null, badges = null, without = null } = {}) {
  const hand = [...view.hand];
  const place = hand.findIndex((card) => card.card === without);
  if (place >= 0) hand.splice(place, 1);
  const choices = without ? [] : view.choices ?? [];
  const had = document.activeElement?.closest("#hand, #choices") !== null && document.activeElement !== document.body;
  const buttons = hand.map((card, index) => {
    const gap = index > 0 && colorOf(hand[index - 1].card) !== colorOf(card.card);
    const button = make("button", {
      type: "button", tabindex: -1, "data-card": card.card,
      class: ["card", gap ? "gap" : "", card.legal || choices.length ? "" : "illegal", marked === card.card ? "marked" : ""].join(" "),
      "aria-label": handCardWords(card), "aria-disabled": card.legal && play ? null : "true",
      title: card.legal ? words(card.card) : `${words(card.card)}: ${card.why}`,
    }, cardFace(card.card));
    if (badges?.has(card.card)) button.append(make("span", { class: "badge", "aria-hidden": "true" }, badges.get(card.card)));
    button.addEventListener("click", () => {
      if (!card.legal) explain(card);
      else if (play) play(card.card);
    });
    button.addEventListener("focus", () => rove(button));
    return button;
  });
  fill($("hand"), ...buttons);
  const choosing = drawChoices(choices, { play, marked, badges, explain, rove });
  const title = view.phase === "draft" ? "Keep one of this hand" : "Your hand";
  $("hand-title").textContent = `${title}: ${hand.length} ${hand.length === 1 ? "card" : "cards"}`;
  $("why").textContent = "";
  const offered = choosing.length ? choosing : buttons;
  const first = offered.find((button) => !button.classList.contains("illegal")) ?? offered[0];
  if (first) {
    first.tabIndex = 0;
    if (had) first.focus({ preventScroll: true });
  } else if (had) $("hand").focus({ preventScroll: true });
}

function explain(card) {
  $("why").textContent = `${words(card.card)} cannot be ${isCard(card.card) ? "played" : "chosen"}: ${card.why}.`;
}

const buttons = () => [...($("choices").hidden ? $("hand") : $("choices")).querySelectorAll("button")];

function rove(current) {
  for (const button of buttons()) button.tabIndex = button === current ? 0 : -1;
}

export function moveInHand(step) {
  const all = buttons();
  const at = all.indexOf(document.activeElement);
  if (!all.length) return;
  const next = at < 0 ? all.find((button) => button.tabIndex === 0) ?? all[0] : all[(at + step + all.length) % all.length];
  next.focus();
}

export function focusCard(name) {
  const found = buttons().find((button) => button.dataset.card === name);
  if (found) found.focus();
  else $("why").textContent = `You do not hold the ${words(name)}.`;
}

// Goes to a card by its place in the hand, counted from 1; false if there is none.
export function focusPlace(place) {
  const found = buttons()[place - 1];
  found?.focus();
  return Boolean(found);
}

// Goes to the next card of a rank in the hand, or to nothing.
export function focusRank(rank) {
  const found = buttons().filter((button) => button.dataset.card.startsWith(rank));
  if (found.length) found[(found.indexOf(document.activeElement) + 1) % found.length].focus();
}

// --- Advice and memory -----------------------------------------------------------------------------------------------

export const badgesOf = (advice) =>
  new Map(advice.cards.map((entry) => [entry.card, percent(entry.chance ?? entry.value ?? entry.probability)]));

export function drawAdvice(advice, played = null) {
  const best = Math.max(...advice.cards.map((entry) => entry.chance ?? entry.value ?? 0));
  const rows = advice.cards.map((entry) => {
    const share = make("td", {}, make("meter", { min: 0, max: 1, value: entry.probability, "aria-hidden": "true" }), ` ${percent(entry.probability)}`);
    const number = (kind, value, last) => make("td", { class: `${kind} ${last && value === best ? "best" : ""}` }, percent(value, 1) || "–");
    return make("tr", { class: [entry.card === advice.card ? "advised" : "", entry.card === played ? "played" : ""].join(" ") },
      make("th", { scope: "row" }, tile(entry.card), make("span", {}, words(entry.card))),
      share, number("value", entry.value, entry.chance === null), number("chance", entry.chance, true));
  });
  fill($("advice").tBodies[0], ...rows);
  $("advice").className = ["value", "chance"].filter((kind) => advice.cards.every((entry) => entry[kind] === null)).map((kind) => `no-${kind}`).join(" ");
  $("advice").hidden = false;
  $("advice-note").textContent = [advice.note, advice.playouts ? `${advice.playouts} playouts a card` : ""].filter(Boolean).join(". ");
}

export function clearAdvice(message = "") {
  $("advice").hidden = true;
  $("advice-words").textContent = message;
  $("advice-note").textContent = "";
}

function drawMemory(view) {
  const count = (list, name) => list.filter((card) => card === name).length;
  const state = (card) => {
    const down = count(view.face_down, card.name);
    if (down) return [card.color ? "●" : String(down), "down", `${words(card.name)}: ${down} face down`];
    if (count(view.face_up, card.name)) return ["▲", "up", `${words(card.name)}: face up under the deck`];
    if (view.hand.some((held) => held.card === card.name)) return ["■", "mine", `${words(card.name)}: in your hand`];
    if (view.lead === card.name) return ["▶", "led", `${words(card.name)}: led`];
    return ["", "gone", `${words(card.name)}: played`];
  };
  const cell = (card) => {
    const [sign, kind, said] = state(card);
    return make("td", { class: kind, title: said }, make("span", { "aria-hidden": "true" }, sign), make("span", { class: "unseen" }, said));
  };
  const cards = allCards();
  const rows = [...new Set(cards.map((card) => card.color))].map((color) => {
    const row = cards.filter((card) => card.color === color);
    const head = color ? [symbol(color), make("span", { class: "unseen" }, color)] : ["circles: black, white"];
    return make("tr", {}, make("th", { scope: "row" }, ...head), ...row.map(cell));
  });
  const digits = cards.slice(0, 6).map((card) => make("th", { scope: "col" }, card.digit));
  fill($("memory"), make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...digits)), make("tbody", {}, ...rows)),
    make("p", { class: "quiet" }, "● face down, ▲ face up under the deck, ■ yours, ▶ led, empty: played"));
}
