// `relay top`: how it is right now, until you leave. Told by the daemon's stream, and looked at every other second though
// nothing is told. Programs, and whoever reads it from a file, get it once.
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';
import { changes } from '../conversations/follow.ts';
import type { Terminal } from '../terminal.ts';
import { gatherer, type Top } from '../top/gather.ts';
import { openScreen } from '../top/screen.ts';
import { view } from '../top/view.ts';

const TICK_MS = 2_000;
/** However much happens, no more often than this. */
const REST_MS = 500;
const COME_BACK_MS = 1_000;
const KEYS = 'q leaves';

export const run: Run = async ({ config, terminal, options }) => {
  const gather = gatherer(clientOf(config.home));
  // Without a daemon there is nothing to look at, and its sentence says what to do.
  const first = await gather();
  const isLive = terminal.size !== null && !terminal.json;
  if (isLive) await look(terminal, first, gather, config.home);
  else {
    give(terminal, first);
    if (options.follow !== true) return 0;
    for await (const _ of changes(config.home, TICK_MS)) {
      give(terminal, await gather());
      await sleep(REST_MS);
    }
  }
  return 0;
};

function give(terminal: Terminal, top: Top): void {
  const { colours, json } = terminal;
  if (json) terminal.give(top);
  else for (const line of view(top, { colours, size: null, gone: null })) terminal.say(line);
}

async function look(
  terminal: Terminal,
  first: Top,
  gather: () => Promise<Top>,
  home: string,
): Promise<void> {
  let top = first;
  let gone: string | null = null;
  const { colours } = terminal;
  const draw = () => {
    const { size } = terminal;
    if (size === null) return;
    const room = { ...size, rows: size.rows - 1 };
    const lines = view(top, { colours, size: room, gone });
    screen.draw([...lines, ...Array(room.rows - 1 - lines.length).fill(''), colours.dim(KEYS)]);
  };
  const screen = openScreen(draw);
  const again = async () => {
    try {
      top = await gather();
      gone = null;
    } catch (error) {
      gone = error instanceof Error ? error.message : String(error);
    }
    if (!screen.left.aborted) draw();
  };
  try {
    draw();
    while (!screen.left.aborted) {
      await follow(home, screen.left, again);
      // The daemon is gone: it may come back, and until then what was last known stays.
      if (!screen.left.aborted) await again();
      await sleep(COME_BACK_MS, null, { signal: screen.left }).catch(() => {});
    }
  } finally {
    screen.close();
  }
}

/** Until the stream cannot be had, or the person leaves. */
async function follow(home: string, left: AbortSignal, again: () => Promise<void>): Promise<void> {
  try {
    for await (const _ of untilLeft(changes(home, TICK_MS), left)) {
      await again();
      await sleep(REST_MS, null, { signal: left }).catch(() => {});
    }
  } catch {
    // What is wrong is said by the next look.
  }
}

/** A person who leaves does not wait for the next change. */
async function* untilLeft<T>(source: AsyncGenerator<T>, left: AbortSignal): AsyncGenerator<T> {
  const over = new Promise<null>((resolve) =>
    left.addEventListener('abort', () => resolve(null), { once: true }),
  );
  while (!left.aborted) {
    const next = await Promise.race([source.next(), over]);
    if (next === null || next.done === true) break;
    yield next.value;
  }
  // Not waited for: it ends by itself at its next tick.
  void source.return(undefined).catch(() => {});
}
