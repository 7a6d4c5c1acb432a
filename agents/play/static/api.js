// Asks the server, which alone knows the rules. Every failure becomes an Error with words for people.

async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const data = await response.json().catch(() => ({ error: `The server answered with status ${response.status}.` }));
  if (!response.ok) {
    throw Object.assign(new Error(data.error), { status: response.status });
  }
  if (data.refused) throw new Error(data.refused);
  return data;
}

const get = (path) => ask("GET", path);
const post = (path, body) => ask("POST", path, body);

export const api = {
  about: () => get("/api/about"),
  begin: (deal) => post("/api/games", deal),
  game: (id) => get(`/api/games/${id}`),
  running: (id) => get(`/api/games?id=${encodeURIComponent(id)}`),
  play: (id, card, move) => post(`/api/games/${id}/cards`, { card, move }),
  advice: (id, agent, seconds) => post(`/api/games/${id}/advice`, { agent, seconds }),
  replayOf: (id) => get(`/api/games/${id}/replay`),
  load: (text) => post("/api/replays", { text }),
  moment: (id, number) => get(`/api/replays/${id}/${number}`),
  rate: (id, number, agent, seconds) => post(`/api/replays/${id}/${number}/advice`, { agent, seconds }),
};
