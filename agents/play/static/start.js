// The dialog that asks what is to be played.

import { $, fill, make } from "./dom.js";

const OWN = "own";
const SCORINGS = { shut_the_box: "shut the box", two_columns: "two columns", first_edition: "first edition" };
let about;

export function setUp(information, begin) {
  about = information;
  const eck = about.variants.filter((variant) => variant.game === "eck"), others = about.variants.filter((variant) => variant.game !== "eck");
  const choices = [
    ...eck.map((variant) => [variant.id, `${variant.id}: ${variant.target} of the cards ${variant.trick_cards.join(", ")}`]),
    [OWN, "Rules of your own"],
    ...others.map((variant) => [variant.id, `${variant.id}: ${about.games[variant.game]}, ${SCORINGS[variant.scoring]}`]),
  ];
  fill($("variants"), ...choices.map(([value, label], index) => {
    const radio = make("input", { type: "radio", name: "variant", value, checked: index === 0 });
    radio.addEventListener("change", showOwn);
    return make("label", { class: "field" }, radio, label);
  }));
  fill($("laid"), ...about.trick_cards.map((name) => make("label", {}, make("input", { type: "checkbox", value: name, checked: true }), ` ${name}`)));
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
  if (known) return { target: known.target, trick_cards: known.trick_cards };
  return {
    target: Number($("target").value),
    trick_cards: [...$("laid").querySelectorAll("input:checked")].map((box) => box.value),
    circle_follow: about.circle_follow[$("same-circle").checked ? 1 : 0],
  };
}
