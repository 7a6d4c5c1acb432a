// Pictures of the cards as SVG, from the outlines and colors that the server gives.

const SPACE = "http://www.w3.org/2000/svg";
let decks = {}; // the cards of each game, by name: one name may mean something in two of them
let cards = new Map(); // those of the game on the table
let colors = new Map();
let moves = new Map(); // what can be done beside playing a card, in words
let suits = new Map();
let shapes = {};
let figures = {};
let grounds = new Map(); // the colors of the game without numbers
let eckCards = [];
let ink = "#000";
let paper = "#fff";

const hex = (rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

export function setUp(about) {
  const named = (list) => new Map(list.map((entry) => [entry.name, entry]));
  decks = { eck: named(about.cards), gongor_whist: named(about.gongor.cards), numberless: named(about.numberless.cards) };
  cards = decks.eck;
  moves = named(about.gongor.moves);
  suits = new Map(about.gongor.suits.map((suit) => [suit.name, { ...suit, hex: hex(suit.rgb) }]));
  eckCards = about.cards;
  colors = new Map(about.colors.map((color) => [color.name, { ...color, hex: hex(color.rgb), rim: hex(color.rgb.map((part) => part >> 1)) }]));
  shapes = about.shapes;
  figures = about.numberless.figures;
  grounds = new Map(about.numberless.colors.map((color) => [color.name, hex(color.rgb)]));
  ink = hex(about.ink);
  paper = hex(about.paper);
}

// Draws and names from here on the cards of this game.
export function useDeck(game) {
  cards = decks[game];
}

export const words = (name) => (cards.get(name) ?? moves.get(name)).words;
export const isCard = (name) => cards.has(name);
export const colorOf = (name) => cards.get(name).figure ?? cards.get(name).color ?? cards.get(name).rank;
export const allCards = () => eckCards;
export const deckOf = (game) => [...decks[game].values()];

function node(tag, attributes, ...children) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function picture(width, height, label, ...children) {
  const attributes = { viewBox: `0 0 ${width} ${height}`, width, height };
  return node("svg", label ? { ...attributes, role: "img", "aria-label": label } : { ...attributes, "aria-hidden": "true" }, ...children);
}

function outline(polygons, x, y, radius, color) {
  return polygons.map((polygon) =>
    node("polygon", { points: polygon.map(([px, py]) => `${(x + radius * px).toFixed(2)},${(y + radius * py).toFixed(2)}`).join(" "), fill: color }),
  );
}

const text = (content, x, y, size, color, anchor = "middle") =>
  node("text", { x, y, "font-size": size, fill: color, "text-anchor": anchor, "font-weight": 700 }, content);

const plate = (width, height, face, edge) =>
  node("rect", { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 5, fill: face, stroke: edge });

// The face of a card; with a label it is a picture to screen readers, otherwise decoration.
export function cardFace(name, label = "") {
  const card = cards.get(name);
  if (card.figure) {
    const face = [plate(42, 58, grounds.get(card.color), "#78766e"), text(name, 5, 15, 13, ink, "start")];
    return picture(42, 58, label, ...face, ...outline(figures[card.figure], 21, 36, 14, ink));
  }
  const parts = [plate(42, 58, paper, "#78766e")];
  if (card.suits) {
    const single = card.suits.length === 1;
    const centers = single ? [[21, 36]] : [[15, 28], [27, 45]];
    card.suits.forEach((suit, place) => parts.push(...outline(suits.get(suit).symbol, ...centers[place], single ? 11 : 8.5, suits.get(suit).hex)));
    parts.push(text(rankOf(card), 5, 18, 16, ink, "start"));
    return picture(42, 58, label, ...parts);
  }
  if (card.color === null) {
    parts.push(node("circle", { cx: 21, cy: 29, r: 14, fill: name === "K" ? ink : paper, stroke: ink, "stroke-width": 2.5 }));
    return picture(42, 58, label, ...parts);
  }
  const color = colors.get(card.color);
  parts.push(...outline(shapes[card.shape], 21, 30, 15.5, color.rim));
  parts.push(...outline(shapes[card.shape], 21, 30, card.shape === "line" ? 15 : 14, color.hex));
  parts.push(...outline(color.symbol, 8, 9, 4.6, color.hex), ...outline(color.symbol, 34, 49, 4.6, color.hex));
  parts.push(text(card.digit, 34.5, 13, 11, ink));
  return picture(42, 58, label, ...parts);
}

// A card shown small.
export function tile(name) {
  const card = cards.get(name);
  if (!card) return "";
  if (card.figure) {
    const small = [node("rect", { x: 0.5, y: 0.5, width: 27, height: 25, rx: 3, fill: grounds.get(card.color), stroke: ink })];
    return picture(28, 26, card.words, ...small, text(name, 14, 17.5, 12.5, ink));
  }
  if (card.suits) {
    const small = [node("rect", { x: 0.5, y: 0.5, width: 27, height: 25, rx: 3, fill: paper, stroke: ink }), text(rankOf(card), 14, 11, 10.5, ink)];
    const places = card.suits.length === 1 ? [14] : [8, 20];
    card.suits.forEach((suit, place) => small.push(...outline(suits.get(suit).symbol, places[place], 18, 4.6, suits.get(suit).hex)));
    return picture(28, 26, card.words, ...small);
  }
  const color = colors.get(card.color);
  const face = color ? color.hex : name === "K" ? ink : paper;
  const parts = [node("rect", { x: 0.5, y: 0.5, width: 19, height: 25, rx: 3, fill: face, stroke: color || name === "K" ? paper : ink })];
  if (!color) {
    parts.push(node("circle", { cx: 10, cy: 13, r: 5, fill: "none", stroke: name === "K" ? paper : ink, "stroke-width": 1.6 }));
  } else {
    parts.push(...outline(color.symbol, 10, 7.5, 4, paper), text(card.digit, 10, 22.5, 10.5, paper));
  }
  return picture(20, 26, card.words, ...parts);
}

export function back() {
  return picture(42, 58, "", plate(42, 58, "#3a4a7a", paper), ...outline(shapes.octagon, 21, 29, 12, "#f5c850"), ...outline(shapes.octagon, 21, 29, 9, "#3a4a7a"));
}

export function place(label) {
  return picture(42, 58, label, node("rect", { x: 1, y: 1, width: 40, height: 56, rx: 5, fill: "none", stroke: "#8eaca0", "stroke-dasharray": "3 3" }));
}

const FACES = { colored: ["#1e88a8", paper], gray: ["#96989c", "#2c2e32"], yours: ["#f5c850", "#1c1e24"], eck: ["#2e1418", "#f08c8c"] };

export function trickCard(name, status) {
  const [face, color] = FACES[status];
  const parts = [plate(56, 44, face, paper)];
  if (status === "gray") {
    const lines = [];
    for (let start = -36; start < 52; start += 7) {
      const left = Math.max(2, start), right = Math.min(54, start + 40);
      if (right > left) lines.push(`M${left} ${left - start + 2}L${right} ${right - start + 2}`);
    }
    parts.push(node("path", { d: lines.join(""), stroke: "#7c7e82", "stroke-width": 1.2 }), node("rect", { x: 10, y: 10, width: 36, height: 24, rx: 3, fill: face }));
  }
  parts.push(text(name, 28, 29.5, 21, color));
  if (status === "eck") parts.push(node("path", { d: "M6 6L50 38M50 6L6 38", stroke: color, "stroke-width": 2.5 }));
  return picture(56, 44, "", ...parts);
}

export function counterCard(value) {
  return picture(56, 44, "", plate(56, 44, paper, "#78766e"), text(value, 28, 31, 25, value === "X" ? "#c0202c" : ink));
}

const rankOf = (card) => (card.rank === "C" ? "Cr" : card.rank);

// The symbol of a color, or of a suit.
export function symbol(color) {
  const { hex: fill, symbol: polygons } = colors.get(color) ?? suits.get(color);
  return picture(18, 18, "", node("rect", { width: 18, height: 18, rx: 3, fill: paper }), ...outline(polygons, 9, 9, 6.5, fill));
}
