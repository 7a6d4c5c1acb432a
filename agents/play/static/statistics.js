// Finished games, kept in this browser alone.

import { $, fill, make, percent, setting } from "./dom.js";

const read = () => {
  try {
    const games = JSON.parse(setting("games") ?? "[]");
    return Array.isArray(games) ? games.filter((game) => game && typeof game.variant === "string" && Number.isFinite(game.rounds)) : [];
  } catch {
    return [];
  }
};

export function note(game) {
  setting("games", JSON.stringify([...read(), game].slice(-5000)));
}

export function forget() {
  setting("games", "[]");
  draw();
}

export function draw() {
  const games = read();
  if (!games.length) return fill($("statistics"), make("p", {}, "No game has been finished yet."));
  const groups = Map.groupBy
    ? Map.groupBy(games, (game) => `${game.variant}|${game.coached}`)
    : games.reduce((map, game) => {
      const key = `${game.variant}|${game.coached}`;
      return map.set(key, [...(map.get(key) ?? []), game]);
    }, new Map());
  const rows = [...groups.values()].map((group) => {
    const won = group.filter((game) => game.won).length;
    const streak = group.length - 1 - group.findLastIndex((game) => !game.won);
    const mean = group.reduce((sum, game) => sum + game.rounds, 0) / group.length;
    const cells = [group.length, won, percent(won / group.length), streak, mean.toFixed(1)].map((value) => make("td", {}, String(value)));
    return make("tr", {}, make("th", { scope: "row" }, group[0].variant + (group[0].coached ? ", with coach" : "")), ...cells);
  });
  const heads = ["Variant", "Games", "Won", "Share", "Wins in a row", "Rounds a game"].map((head) => make("th", { scope: "col" }, head));
  return fill($("statistics"), make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}
