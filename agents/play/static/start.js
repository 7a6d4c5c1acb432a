// The dialog that asks what is to be played.

import { $, fill, make } from "./dom.js";

const OWN = "own";
const EACH = "each";
const SCORINGS = { shut_the_box: "shut the box", two_columns: "two columns", first_edition: "first edition" };
let about;

export function setUp(information, begin) {
  about = information;
  const eck = about.variants.filter((variant) => variant.game === "eck"), others = about.variants.filter((variant) => variant.game !== "eck");
  const choices = [
    ...eck.map((variant) => [variant.id, `${variant.id}: ${variant.target} of the cards ${variant.trick_cards.join(", ")}`]),
    [OWN, "Rules of your own"],
    ...others.map((variant) => [variant.id, `${variant.id}: ${[about.games[variant.game], SCORINGS[variant.scoring]].filter(Boolean).join(", ")}`]),
  ];
  fill($("variants"), ...choices.map(([value, label], index) => {
    const radio = make("input", { type: "radio", name: "variant", value, checked: index === 0 });
    radio.addEventListener("change", showOwn);
    return make("label", { class: "field" }, radio, label);
  }));
  fill($("laid"), ...about.trick_cards.map((name) => make("label", {}, make("input", { type: "checkbox", value: name, checked: true }), ` ${name}`)));
  setUpTable();
  $("new-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    $("new-error").textContent = "";
    try {
      await begin(asked());
      $("new-dialog").close();
    } catch (error) {
      $("new-error").textContent = error.message;
    }
  });
  showOwn();
}

// The choices of the game without numbers: how many play, who starts, who sits at the other seats.
function setUpTable() {
  const [fewest, most] = about.players;
  const names = about.agents.filter((agent) => agent.games.includes("numberless")).map((agent) => agent.name);
  const options = (values) => values.map(([value, label]) => make("option", { value }, label));
  const agents = names.map((name) => [name, name]);
  const counts = Array.from({ length: most - fewest + 1 }, (_, index) => fewest + index);
  fill($("num-players"), ...options(counts.map((count) => [count, String(count)])));
  $("num-players").value = String(about.variants.find((variant) => variant.game === "numberless").num_players);
  fill($("opponents"), ...options([...agents, [EACH, "one for each seat …"]]));
  fill($("seat-agents"), ...Array.from({ length: most - 1 }, (_, index) =>
    make("label", { class: "field" }, `Seat ${index + 1} `, make("select", { "data-seat": index + 1 }, ...options(agents)))));
  for (const select of [$("opponents"), ...$("seat-agents").querySelectorAll("select")]) select.value = about.opponent;
  for (const id of ["num-players", "opponents"]) $(id).addEventListener("change", showOwn);
}

const players = () => Number($("num-players").value);

function showTable() {
  $("numberless-variant").hidden = registered()?.game !== "numberless";
  const start = $("start-player").value || "0";
  fill($("start-player"), ...Array.from({ length: players() }, (_, seat) => make("option", { value: seat }, seat ? `seat ${seat}` : "you (seat 0)")), make("option", { value: "any" }, "any seat"));
  $("start-player").value = start;
  if (!$("start-player").value) $("start-player").value = "0";
  $("seat-agents").hidden = $("opponents").value !== EACH;
  for (const select of $("seat-agents").querySelectorAll("select")) select.parentElement.hidden = Number(select.dataset.seat) >= players();
}

function table() {
  const start = $("start-player").value, all = $("opponents").value;
  const each = [...$("seat-agents").querySelectorAll("select")].slice(0, players() - 1).map((select) => select.value);
  return {
    num_players: players(), draft: $("draft").checked, start_player: start === "any" ? null : Number(start),
    opponents: all === EACH ? each : all,
  };
}

export function open() {
  $("new-error").textContent = "";
  $("seed").value = $("deal").value = "";
  $("new-dialog").showModal();
}

const chosen = () => document.querySelector("input[name=variant]:checked").value;

const registered = () => about.variants.find((known) => known.id === chosen());

function showOwn() {
  $("own-variant").hidden = chosen() !== OWN;
  $("gongor-variant").hidden = registered()?.game !== "gongor_whist";
  showTable();
  $("max-hands-field").hidden = registered()?.scoring !== "first_edition";
}

function asked() {
  const code = $("deal").value.trim(), seed = $("seed").value.trim();
  if (code) return { code };
  return { variant: variant(), ...(seed ? { seed } : {}) };
}

function variant() {
  const known = registered();
  if (known?.game === "gongor_whist") {
    const hands = known.scoring === "first_edition" ? { max_hands: Number($("max-hands").value) } : {};
    return { scoring: known.scoring, aces: $("gongor-aces").value, ...hands };
  }
  if (known?.game === "numberless") return table();
  if (known) return { target: known.target, trick_cards: known.trick_cards };
  return {
    target: Number($("target").value),
    trick_cards: [...$("laid").querySelectorAll("input:checked")].map((box) => box.value),
    circle_follow: about.circle_follow[$("same-circle").checked ? 1 : 0],
  };
}
