// A game: begun, played card by card, and ended.

import { advise } from "./advising.js";
import { api } from "./api.js";
import { $, fill, make, setting } from "./dom.js";
import { closeReplay, openReplay } from "./replays.js";
import { attempt, beginPauses, pause, state, stopAll } from "./state.js";
import * as statistics from "./statistics.js";
import { clearAdvice, drawHand, drawTable, say, showTrick } from "./table.js";

const STEP = 500; // milliseconds for each card that ECK turns over, at normal speed
export const PAUSE = 1100; // after a trick

export async function begin(deal) {
  take(await api.begin(deal));
  setting("last", JSON.stringify(deal.variant ? { variant: deal.variant } : {}));
}

// Lays a game on the table.
export function take(view, { coached = false, watched = false, noted = false } = {}) {
  stopAll();
  closeReplay();
  state.game = { id: view.id, view, coached, watched, noted };
  remember();
  suggest(view.adviser);
  show();
  if (document.activeElement === document.body) $("hand").querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  if (view.outcome && !noted) finish(); // its last trick was still being shown when the page was left
}

// Notes the game for as long as the browser's tab is open, so that a reload goes on with it.
export function remember() {
  const { id, coached, watched, noted } = state.game;
  try {
    sessionStorage.setItem("eck.game", JSON.stringify({ id, coached, watched, noted }));
  } catch {
    // Without storage a reload starts a new game.
  }
}

export async function resume() {
  let noted = null, last = {};
  try {
    noted = JSON.parse(sessionStorage.getItem("eck.game"));
    last = JSON.parse(setting("last") ?? "{}");
  } catch {
    // What cannot be read is as if it were not there.
  }
  if (noted) {
    const { games } = await api.running(noted.id);
    if (games.length) return take(games[0], noted);
  }
  try {
    return await begin({ variant: last.variant ?? {} });
  } catch {
    return begin({});
  }
}

export function suggest(adviser) {
  if (!$("agent").dataset.chosen) $("agent").value = adviser;
}

// Draws the game; with `keep`, the advice that is shown stays unless the coach has to be asked again.
export function show(keep = false) {
  const { view } = state.game;
  drawTable(view);
  drawHand(view, { play: state.watching ? null : play });
  for (const id of ["watch-step", "watch-play"]) $(id).disabled = Boolean(view.outcome);
  if (!keep || $("coach-on").checked) advise();
}

export const play = attempt((card) => playCard(card, false));

export async function playCard(card, byAgent) {
  if (state.busy) return;
  const current = state.game, before = current.view;
  const onTable = () => state.game === current && !state.replay;
  state.busy = true;
  beginPauses();
  try {
    const view = await api.play(before.id, card, before.move);
    current.watched ||= byAgent;
    remember();
    await showPlayed(before, view, card, onTable);
    current.view = view;
  } catch (error) {
    if (error.status === 409) current.view = await api.game(before.id);
    throw error;
  } finally {
    state.busy = false;
    if (onTable()) show();
  }
  if (!onTable()) return;
  if (current.view.outcome) finish();
  else if (current.view.round) await endRound(current.view.words.round);
}

// Shows a trick card by card: what ECK turns over in its search, what it plays, and who takes the trick.
async function showPlayed(before, view, card, onTable) {
  const trick = view.trick;
  if (!onTable()) return;
  clearAdvice();
  drawHand(before, { without: card });
  const table = { eck: before.lead, you: card, held: [] };
  showTrick(table);
  if (trick.leader === "you") {
    if (trick.turned_over.length) say("ECK searches its deck …");
    for (const passed of trick.turned_over) {
      await pause(STEP);
      if (!onTable()) return;
      table.held = [...table.held, passed];
      showTrick(table);
    }
    await pause(STEP);
    if (!onTable()) return;
    table.eck = trick.follow;
    showTrick(table);
  }
  say(view.words.taker);
  await pause(PAUSE);
}

async function endRound(words) {
  if (state.watching) {
    say(`The round is over. ${words}`);
    await pause(2 * PAUSE);
    return;
  }
  openEnd("The round is over", words, [["Next round", () => {}]]);
}

function finish() {
  stopAll();
  const { view, coached, watched, noted } = state.game;
  if (!noted && !watched) {
    statistics.note({ variant: view.variant.title, won: view.outcome === "win", rounds: view.round_number, coached });
  }
  state.game.noted = true;
  remember();
  openEnd(view.outcome === "win" ? "You win!" : "You lose", `${view.words.round} ${view.words.outcome}`, [
    ["New game", attempt(again)],
    ["Same deal again", attempt(sameDeal)],
    ["Look back and rate", attempt(lookBack)],
    ["Close", () => {}],
  ]);
}

function openEnd(title, words, choices) {
  $("end-title").textContent = title;
  $("end-words").textContent = words;
  fill($("end-controls"), ...choices.map(([label, action], index) => {
    const button = make("button", { type: "button", class: index ? "" : "strong" }, label);
    button.addEventListener("click", () => {
      $("end-dialog").close();
      action();
    });
    return button;
  }));
  $("end-dialog").showModal();
  $("end-controls").firstChild.focus();
}

function again() {
  const { target, trick_cards, circle_follow } = state.game.view.variant;
  return begin({ variant: { target, trick_cards, circle_follow } });
}

export const sameDeal = async () => take(await api.begin({ code: state.game.view.deal }));

async function lookBack() {
  const { code } = await api.replayOf(state.game.id);
  await openReplay(code);
}
