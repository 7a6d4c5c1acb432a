// What all parts of the page share: the game and replay on the table, what is going on, and the pace of it.

import { $ } from "./dom.js";

export const state = {
  about: null, // what the server offers
  game: null, // { id, view, coached, watched, noted }
  replay: null, // { id, summary, cards, at, view } while a replay is on the table
  busy: false, // a trick is being shown
  watching: false, // an agent plays
  turning: false, // a replay plays by itself
};

let endPause = null;
let hurried = false;

// Waits, at the chosen speed, until somebody is in a hurry.
export function pause(milliseconds) {
  const length = milliseconds * Number($("speed").value);
  if (hurried || length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, length);
    endPause = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

export function beginPauses() {
  hurried = false;
}

// Shows the rest of a trick at once.
export function hurry() {
  if (!state.busy || state.watching) return;
  hurried = true;
  endPause?.();
}

export function press(button, on, words) {
  button.setAttribute("aria-pressed", String(on));
  button.textContent = words;
}

// Ends what goes on by itself.
export function stopAll() {
  state.watching = state.turning = false;
  endPause?.();
  press($("watch-play"), false, "Play on");
  press($("replay-play"), false, "Play");
}

export function trouble(error) {
  $("trouble").textContent = error ? error.message : "";
  $("trouble").hidden = !error;
}

// Wraps an action so that its failure is told on the page.
export const attempt = (action) => async (...values) => {
  try {
    trouble(null);
    return await action(...values);
  } catch (error) {
    stopAll();
    trouble(error);
    return undefined;
  }
};
