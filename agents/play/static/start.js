// The dialog that asks what is to be played.

import { $, fill, make } from "./dom.js";

const OWN = "own";
let about;

export function setUp(information, begin) {
  about = information;
  const choices = [
    ...about.variants.map((variant) => [variant.id, `${variant.id}: ${variant.target} of the cards ${variant.trick_cards.join(", ")}`]),
    [OWN, "Rules of your own"],
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

function showOwn() {
  $("own-variant").hidden = chosen() !== OWN;
}

function asked() {
  const code = $("deal").value.trim(), seed = $("seed").value.trim();
  if (code) return { code };
  return { variant: variant(), ...(seed ? { seed } : {}) };
}

function variant() {
  const registered = about.variants.find((known) => known.id === chosen());
  if (registered) return { target: registered.target, trick_cards: registered.trick_cards };
  return {
    target: Number($("target").value),
    trick_cards: [...$("laid").querySelectorAll("input:checked")].map((box) => box.value),
    circle_follow: about.circle_follow[$("same-circle").checked ? 1 : 0],
  };
}
