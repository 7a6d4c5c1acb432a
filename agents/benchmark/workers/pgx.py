"""Measures Pgx's leduc hold'em on the CPU: the compiled, vectorized step with auto reset, on recorded actions."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from typing import Any

from agents.benchmark.workers.serve import Row, serve

BATCHES = (256, 1024, 4096, 16384, 65536)
_DECISIONS = 400_000


def leduc(batch: int) -> Row:
    """Return a batch of games; each step returns observation, mask, rewards and flags and deals where games ended."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    jax, pgx, experimental = (import_module(name) for name in ("jax", "pgx", "pgx.experimental"))
    jnp: Any = jax.numpy
    env = pgx.make("leduc_holdem")
    step_games = jax.vmap(experimental.auto_reset(env.step, env.init))
    key = jax.random.PRNGKey(1)

    @jax.jit  # type: ignore[untyped-decorator]
    def step(state: Any, actions: Any, number: int) -> Any:
        return step_games(state, actions, jax.random.split(jax.random.fold_in(key, number), batch))

    @jax.jit  # type: ignore[untyped-decorator]
    def choose(mask: Any, number: int) -> Any:
        keys = jax.random.fold_in(key, -number)
        return jax.random.categorical(keys, jnp.log(mask.astype(jnp.float32)), axis=1)

    start = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))
    state, actions = start, []
    for number in range(max(2, _DECISIONS // batch)):
        actions.append(choose(state.legal_action_mask, number))
        state = step(state, actions[-1], number)
    jax.block_until_ready(state)

    def run() -> int:
        state = start
        for number, batch_actions in enumerate(actions):
            state = step(state, batch_actions, number)
        jax.block_until_ready(state)
        return len(actions) * batch

    return Row(run)


ROWS = {f"leduc {batch}": partial(leduc, batch) for batch in BATCHES}

if __name__ == "__main__":
    serve(ROWS)
