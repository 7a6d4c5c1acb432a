// A game: begun, played card by card, and ended.

import { advise } from "./advising.js";
import { api } from "./api.js";
import { $, fill, make, setting } from "./dom.js";
import { showEvents } from "./numberless.js";
import { closeReplay, openReplay } from "./replays.js";
import { attempt, beginPauses, pause, state, stopAll } from "./state.js";
import * as statistics from "./statistics.js";
import { GONGOR, NUMBERLESS, clearAdvice, drawHand, drawTable, say, showTrick } from "./table.js";

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
  suggest(view.game, view.adviser);
  show();
  if (document.activeElement === document.body) document.querySelector("#choices [tabindex='0'], #hand [tabindex='0']")?.focus({ preventScroll: true });
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

// Offers the agents that play a game, and chooses the one that suits it unless somebody has chosen another.
export function suggest(game, adviser) {
  const agents = state.about.agents.filter((agent) => agent.games.includes(game));
  const before = $("agent").value;
  fill($("agent"), ...agents.map((agent) => make("option", { value: agent.name }, agent.trained_for ? `${agent.name} (trained for ${agent.trained_for})` : agent.name)));
  $("agent").value = $("agent").dataset.chosen && agents.some((agent) => agent.name === before) ? before : adviser;
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
  else if (current.view.round) await endRound(current.view);
}

// Shows a trick card by card: what ECK turns over in its search, what it plays, and who takes the trick.
async function showPlayed(before, view, card, onTable) {
  const trick = view.trick;
  if (!onTable()) return;
  clearAdvice();
  if (view.game === GONGOR) {
    if (trick) await showGongorTrick(before, view, card);
    return;
  }
  if (view.game === NUMBERLESS) {
    drawHand(before, { without: card });
    await showEvents(before, view, { onTable, rest: () => pause(PAUSE), say });
    return;
  }
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

async function showGongorTrick(before, view, card) {
  drawHand(before, { without: card });
  showTrick({ eck: view.trick.lead, you: view.trick.follow, held: [] });
  say(view.trick.trump === view.trick.trump_before ? view.words.taker : `${view.words.trick} ${view.words.taker}`);
  await pause(PAUSE);
}

async function endRound(view) {
  const part = view.game === GONGOR ? "hand" : "round";
  if (state.watching) {
    say(`The ${part} is over. ${view.words.round}`);
    await pause(2 * PAUSE);
    return;
  }
  openEnd(`The ${part} is over`, view.words.round, [[`Next ${part}`, () => {}]]);
}

function finish() {
  stopAll();
  const { view, coached, watched, noted } = state.game;
  if (!noted && !watched) {
    statistics.note({ variant: view.variant.title, won: ["win", "shared win"].includes(view.outcome), rounds: view.round_number, coached });
  }
  state.game.noted = true;
  remember();
  const title = { win: "You win!", loss: "You lose", draw: "A draw", "shared win": "You share the win" }[view.outcome];
  openEnd(title, [view.words.round, view.words.outcome].filter(Boolean).join(" "), [
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
  const { title, ...variant } = state.game.view.variant;
  return begin({ variant });
}

export const sameDeal = async () => take(await api.begin({ code: state.game.view.deal }));

async function lookBack() {
  const { code } = await api.replayOf(state.game.id);
  await openReplay(code);
}
