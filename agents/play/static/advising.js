// The coach, and watching an agent play.

import { api } from "./api.js";
import { $, percent, wait } from "./dom.js";
import { PAUSE, play, playCard, remember, show } from "./playing.js";
import { attempt, beginPauses, pause, press, state, stopAll } from "./state.js";
import { badgesOf, clearAdvice, drawAdvice, drawHand } from "./table.js";

let question = 0; // counts the questions to the coach, so that late answers are dropped

function ask() {
  const agent = $("agent").value, seconds = Number($("seconds").value);
  const { game, replay } = state;
  return replay ? api.rate(replay.id, replay.at, agent, seconds) : api.advice(game.id, agent, seconds);
}

export async function advise() {
  const asked = ++question;
  const { game, replay } = state;
  if (state.watching) return;
  if (!$("coach-on").checked || (replay ? replay.view.card === null : game.view.outcome)) {
    clearAdvice();
    return;
  }
  clearAdvice("Thinking …");
  if (!replay && !game.coached) {
    game.coached = true;
    remember();
  }
  try {
    const advice = await ask();
    if (asked === question && !state.busy) tell(advice);
  } catch (error) {
    if (asked === question) clearAdvice(error.message);
  }
}

// Asks again, after something about the coach has been changed.
export function adviseAnew() {
  if (state.busy || state.watching) return;
  if (state.replay) drawHand(state.replay.view, { marked: state.replay.view.card });
  else drawHand(state.game.view, { play });
  advise();
}

function tell(advice) {
  const { game, replay } = state;
  drawAdvice(advice, advice.played);
  const cost = advice.cost > 0.0005 ? ` The card played costs ${percent(advice.cost, 1)}.` : "";
  $("advice-words").textContent = advice.words + cost;
  const badges = badgesOf(advice);
  if (replay) drawHand(replay.view, { marked: advice.played, badges });
  else drawHand(game.view, { play: state.watching ? null : play, marked: advice.card, badges });
}

async function watchCard() {
  const asked = ++question, current = state.game;
  const isMeant = () => asked === question && state.game === current && !state.replay && state.watching;
  const advice = await ask();
  if (!isMeant()) return;
  tell(advice);
  beginPauses();
  await pause(2 * PAUSE);
  if (!isMeant()) return;
  await playCard(advice.card, true);
  $("advice-words").textContent = advice.words;
}

async function watch(more) {
  state.watching = true;
  try {
    do {
      await watchCard();
      await wait(0);
    } while (more && state.watching && !state.game.view.outcome);
  } finally {
    stopAll();
    if (!state.game.view.outcome && !state.busy && !state.replay) show(true);
  }
}

export const watchOne = attempt(async () => {
  if (!state.busy && !state.watching && !state.game.view.outcome) await watch(false);
});

export const watchOn = attempt(async () => {
  if (state.watching) {
    stopAll();
  } else if (!state.busy && !state.game.view.outcome) {
    press($("watch-play"), true, "Stop");
    await watch(true);
  }
});
