// Starts the page, and binds its keys and buttons to what they do.

import { adviseAnew, watchOn, watchOne } from "./advising.js";
import { api } from "./api.js";
import * as art from "./art.js";
import { $, fill, make, setting } from "./dom.js";
import { begin, resume, sameDeal } from "./playing.js";
import { backToGame, loadReplay, playDeal, rate, turn, turnOn } from "./replays.js";
import * as start from "./start.js";
import { attempt, hurry, state } from "./state.js";
import * as statistics from "./statistics.js";
import { GONGOR, NUMBERLESS, focusCard, focusPlace, focusRank, moveInHand } from "./table.js";

const SEARCH_TIMES = [0, 0.1, 0.3, 1, 3, 10];

// --- Sharing ---------------------------------------------------------------------------------------------------------

async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    $("share-words").textContent = `${words} copied: ${text}`;
  } catch {
    $("share-words").textContent = text;
  }
}

const gameToShare = async () => (state.replay ? state.replay.summary : api.replayOf(state.game.id));

async function saveReplay() {
  const { replay } = await gameToShare();
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(replay)}\n`], { type: "application/json" }));
  const { game } = state.replay?.summary ?? state.game.view;
  const name = `${game.replaceAll("_", "-")}-replay.json`;
  make("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
  $("share-words").textContent = `Saved as ${name}.`;
}

// --- Keys ------------------------------------------------------------------------------------------------------------

const TRUMP_KEYS = { K: "keep", T: "twiddle" };
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
let letter = ""; // the color of a card whose number of corners is to come

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea")) return;
  if (state.busy && !state.watching) {
    hurry();
    if (event.key === "Enter" || event.key === " ") event.preventDefault();
    return;
  }
  const pressed = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  if (act(pressed)) event.preventDefault();
  letter = isColor(pressed) ? pressed : "";
}

const isColor = (pressed) => state.about.colors.some((color) => color.letter === pressed);

// Does what a key says; false if it says nothing here.
function act(pressed) {
  const name = letter + pressed;
  if (pressed in STEPS) moveInHand(STEPS[pressed]);
  else if (pressed === "N") start.open();
  else if (pressed === "C") $("coach-on").click();
  else if (pressed === "?") $("help-dialog").showModal();
  else if (onTable().game === GONGOR) return actInGongor(pressed);
  else if (onTable().game === NUMBERLESS) return /^[1-7]$/.test(pressed) && focusPlace(Number(pressed));
  else if (state.about.cards.some((card) => card.name === name)) focusCard(name);
  else if (state.about.cards.some((card) => card.name === pressed)) focusCard(pressed);
  else return isColor(pressed);
  return true;
}

const onTable = () => (state.replay ?? state.game).view;

// The keys that only Gongor Whist has: bids and ranks by their number, keep and twiddle by their letter.
function actInGongor(pressed) {
  const { phase } = onTable();
  if (phase === "twiddle" && pressed in TRUMP_KEYS) focusCard(TRUMP_KEYS[pressed]);
  else if (phase === "bid" && /^[0-7]$/.test(pressed)) focusCard(`bid ${pressed}`);
  else if (phase === "card" && /^[02-9]$/.test(pressed)) focusRank(pressed === "0" ? "C" : pressed);
  else return false;
  return true;
}

// --- Buttons ---------------------------------------------------------------------------------------------------------

function bind() {
  const clicks = {
    "new-game": start.open,
    "same-deal": attempt(sameDeal),
    "open-statistics": () => { statistics.draw(); $("statistics-dialog").showModal(); },
    "forget": statistics.forget,
    "open-help": () => $("help-dialog").showModal(),
    "open-replay": () => { $("replay-error").textContent = ""; $("replay-form").reset(); $("replay-dialog").showModal(); },
    "watch-step": watchOne,
    "watch-play": watchOn,
    "rate": rate,
    "replay-first": () => turn(0),
    "replay-back": () => turn(state.replay.at - 1),
    "replay-play": turnOn,
    "replay-forward": () => turn(state.replay.at + 1),
    "replay-last": () => turn(state.replay.cards.length),
    "replay-close": backToGame,
    "replay-play-deal": playDeal,
    "copy-deal": () => copy($("deal-code").textContent, "Code of the deal"),
    "copy-game": attempt(async () => copy((await gameToShare()).code, "Code of the game")),
    "save-replay": attempt(saveReplay),
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
  $("replay-at").addEventListener("input", () => turn(Number($("replay-at").value)));
  $("coach-on").addEventListener("change", adviseAnew);
  $("seconds").addEventListener("change", adviseAnew);
  $("agent").addEventListener("change", () => { $("agent").dataset.chosen = "yes"; adviseAnew(); });
  $("speed").addEventListener("change", () => setting("speed", $("speed").value));
  $("replay-form").addEventListener("submit", loadReplay);
  document.addEventListener("keydown", key);
  document.addEventListener("pointerdown", hurry, true);
}

async function setUp() {
  const about = await api.about();
  state.about = about;
  art.setUp(about);
  start.setUp(about, begin);
  const times = SEARCH_TIMES.filter((seconds) => seconds <= about.max_seconds);
  fill($("seconds"), ...times.map((seconds) => make("option", { value: seconds }, seconds ? `${seconds} seconds` : "none")));
  fill($("suits"), ...about.gongor.suits.map((suit) => make("li", {}, art.symbol(suit.name), ` ${suit.name} (${suit.letter})`)));
  fill($("legend"), ...about.colors.map((color) => make("li", {}, art.symbol(color.name), ` ${color.name} (${color.letter})`)));
  $("speed").value = setting("speed");
  if (!$("speed").value) $("speed").value = matchMedia("(prefers-reduced-motion: reduce)").matches ? "0" : "1";
  bind();
  await resume();
}

attempt(setUp)();
