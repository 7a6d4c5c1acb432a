// Replays: opened, looked at card by card, and rated.

import { advise } from "./advising.js";
import { api } from "./api.js";
import { isCard, useDeck, words } from "./art.js";
import { $, fill, make, percent, wait } from "./dom.js";
import { PAUSE, show, suggest, take } from "./playing.js";
import { attempt, beginPauses, pause, press, state, stopAll } from "./state.js";
import { drawHand, drawTable } from "./table.js";

export async function openReplay(text) {
  const summary = await api.load(text);
  stopAll();
  state.replay = { id: summary.id, summary, cards: summary.cards, at: 0, view: null };
  suggest(summary.game, summary.adviser);
  const outcome = { win: "won", loss: "lost", draw: "drawn", "shared win": "won together" }[summary.outcome] ?? "not finished";
  $("replay-about").textContent = `${summary.variant.title}, ${summary.cards.length} ${summary.unit}s, ${outcome}.`;
  $("replay-at").max = String(summary.cards.length);
  $("rating-summary").textContent = "";
  fill($("rating"));
  $("replay-panel").hidden = false;
  $("watch-panel").hidden = true;
  await turnTo(0);
  $("replay-title").scrollIntoView({ block: "nearest" });
}

export function closeReplay() {
  state.replay = null;
  $("replay-panel").hidden = true;
  $("watch-panel").hidden = false;
}

export function backToGame() {
  stopAll();
  closeReplay();
  suggest(state.game.view.game, state.game.view.adviser);
  show();
}

export const playDeal = attempt(async () => take(await api.begin({ code: state.replay.summary.deal })));

async function turnTo(number) {
  const current = state.replay;
  const at = Math.min(Math.max(number, 0), current.cards.length);
  current.at = at;
  const view = await api.moment(current.id, at);
  if (state.replay !== current || current.at !== at) return;
  current.view = view;
  useDeck(view.game);
  $("replay-at").value = String(at);
  $("replay-at").setAttribute("aria-valuetext", `${at} of ${current.cards.length} ${current.summary.unit}s played`);
  const parts = [];
  if (view.round) parts.push(`The ${view.game === "eck" ? "round" : "hand"} is over. ${view.words.round}`);
  if (view.card) parts.push(isCard(view.card) ? `Card ${at + 1}: ${words(view.card)} is played.` : `${at + 1}: ${words(view.card)}.`);
  else parts.push(view.words.outcome ?? "The replay ends here.");
  drawTable(view, parts.join(" "));
  drawHand(view, { marked: view.card });
  advise();
}

export const turn = attempt((number) => turnTo(number));

export const turnOn = attempt(async () => {
  state.turning = !state.turning;
  press($("replay-play"), state.turning, state.turning ? "Stop" : "Play");
  const current = state.replay;
  beginPauses();
  while (state.turning && state.replay === current && current.at < current.cards.length) {
    await turnTo(current.at + 1);
    await pause(2 * PAUSE);
    await wait(0);
  }
  if (state.replay === current) {
    state.turning = false;
    press($("replay-play"), false, "Play");
  }
});

export const rate = attempt(async () => {
  const current = state.replay, agent = $("agent").value, seconds = Number($("seconds").value);
  const totals = { decisions: 0, same: 0, cost: 0, known: false };
  fill($("rating"));
  $("rate").disabled = true;
  try {
    for (let number = 0; number < current.cards.length && state.replay === current; number += 1) {
      const advice = await api.rate(current.id, number, agent, seconds);
      if (state.replay !== current) return;
      $("rating-summary").textContent = `Card ${number + 1} of ${current.cards.length} …`;
      if (advice.cards.length > 1) addRating(advice, totals);
    }
  } finally {
    $("rate").disabled = false;
  }
  const cost = totals.known ? ` The choices cost ${percent(totals.cost, 1)} of a win in all.` : " What the others cost is not known without search.";
  $("rating-summary").textContent = `${totals.same} of ${totals.decisions} decisions as ${agent} would decide.${cost}`;
});

function addRating(advice, totals) {
  const same = advice.played === advice.card;
  totals.decisions += 1;
  totals.same += same ? 1 : 0;
  if (advice.cost !== null) {
    totals.cost += advice.cost;
    totals.known = true;
  }
  const cost = advice.cost === null ? "another choice" : advice.cost < 0.0005 ? "costs nothing" : `costs ${percent(advice.cost, 1)}`;
  const label = `${advice.move + 1}. ${words(advice.played)}${same ? ": as advised" : `, not ${words(advice.card)}: ${cost}`}`;
  const button = make("button", { type: "button", class: same ? "same" : advice.cost > 0.02 ? "bad" : "" }, label);
  button.addEventListener("click", () => turn(advice.move));
  $("rating").append(make("li", {}, button));
}

export async function loadReplay(event) {
  event.preventDefault();
  try {
    const file = $("replay-file").files[0];
    if (file && file.size > state.about.max_replay_bytes) throw new Error("The file is too large to be a replay.");
    await openReplay(file ? await file.text() : $("replay-text").value);
    $("replay-dialog").close();
  } catch (error) {
    $("replay-error").textContent = error.message;
  }
}

