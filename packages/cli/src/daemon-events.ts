// Follows the daemon's event stream and reports which conversations changed. The stream is opened before anything is
// loaded, and everything is reloaded when it breaks, so nothing is missed.
import { setTimeout as sleep } from 'node:timers/promises';
import { readFrames } from '@relay/contract/client/sse';
import { openResponse, readBody, toApiError } from './api.ts';

export interface DaemonChange {
  /** Everything on screen may be outdated. */
  readonly reload: boolean;
  readonly instances: ReadonlySet<string>;
}

/** The stream sends at least a keep-alive every 20 s. */
const PATIENCE_MS = 60_000;
const COME_BACK_MS = 500;
/** Events within this time are reported together. */
const GATHER_MS = 60;

/** Yields when something changed, and every `tickMs` without a change. Throws when the daemon has stopped. */
export async function* followDaemonChanges(
  home: string,
  tickMs: number,
): AsyncGenerator<DaemonChange> {
  const stop = new AbortController();
  let seen = nothing();
  let wake: () => void = () => {};
  let gone: unknown;
  read(home, stop.signal, (change) => {
    seen = {
      reload: seen.reload || change.reload,
      instances: new Set([...seen.instances, ...change.instances]),
    };
    wake();
  }).catch((error: unknown) => {
    gone = error;
    wake();
  });
  try {
    for (;;) {
      if (gone === undefined && isNothing(seen)) {
        const ticked = new AbortController();
        await Promise.race([
          sleep(tickMs, null, { signal: ticked.signal }).catch(() => {}),
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
        ]);
        ticked.abort();
        if (!isNothing(seen)) await sleep(GATHER_MS);
      }
      if (gone !== undefined) throw gone;
      const change = seen;
      seen = nothing();
      yield change;
    }
  } finally {
    stop.abort();
  }
}

const nothing = (): DaemonChange => ({ reload: false, instances: new Set() });
const isNothing = ({ reload, instances }: DaemonChange): boolean => !reload && instances.size === 0;

async function read(
  home: string,
  signal: AbortSignal,
  tell: (change: DaemonChange) => void,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await openResponse(home, {
      method: 'GET',
      path: '/api/events',
      timeoutMs: PATIENCE_MS,
    });
    if (answer.statusCode !== 200) throw toApiError(answer.statusCode ?? 0, await readBody(answer));
    const close = () => answer.destroy();
    signal.addEventListener('abort', close, { once: true });
    try {
      for await (const { event, data } of readFrames(answer.setEncoding('utf8'))) {
        tell(changeOf(event, data));
      }
    } catch {
      // A broken stream is reopened; its first frame triggers a full reload.
    } finally {
      signal.removeEventListener('abort', close);
      answer.destroy();
    }
    if (!signal.aborted) await sleep(COME_BACK_MS);
  }
}

function changeOf(event: string, frame: unknown): DaemonChange {
  if (event === 'ready' || event === 'reset') return { reload: true, instances: new Set() };
  const { subject, data } = frame as { subject: string | null; data: Record<string, unknown> };
  if (event === 'conversation' || event.startsWith('conversation.')) {
    return { reload: false, instances: new Set(subject === null ? [] : [subject]) };
  }
  const { instance } = data;
  return { reload: false, instances: new Set(typeof instance === 'string' ? [instance] : []) };
}
