// A demo is held for as long as somebody wants it: until a signal, the end of a pipe, or the death of its daemon.
// Invariant: when it ends, however it ends, all that was started is closed, the last first.
import { fstatSync } from 'node:fs';
import { RelayError } from '@relay/core/errors';

export type Closer = () => Promise<void>;

export interface Stage {
  /** Resolves with the end of a sentence, should its daemon end. */
  readonly died: Promise<string>;
  /** Says where everything is. */
  show(): Promise<void> | void;
}

/** `begin` adds a closer for each thing it has started, and need not go on once nobody wants it. */
export async function hold(
  begin: (closers: Closer[], unwanted: AbortSignal) => Promise<Stage>,
): Promise<number> {
  const asked = askedToEnd();
  const unwanted = new AbortController();
  const closers: Closer[] = [];
  try {
    const begun = begin(closers, unwanted.signal);
    const stage = await Promise.race([begun, asked.end]);
    if (stage === undefined) {
      unwanted.abort();
      await begun.catch(() => {});
    } else {
      await stage.show();
      const reason = await Promise.race([stage.died, asked.end]);
      if (reason !== undefined) throw new RelayError('demo_daemon_ended', { reason });
    }
    return 0;
  } finally {
    asked.ignore();
    for (const close of closers.reverse()) await close();
  }
}

/** By a signal, or because the other end of a pipe at standard input is gone. */
function askedToEnd(): { end: Promise<undefined>; ignore(): void } {
  const { promise: end, resolve } = Promise.withResolvers<undefined>();
  const leave = () => resolve(undefined);
  process.on('SIGINT', leave);
  process.on('SIGTERM', leave);
  const held = holdsPipe();
  if (held) process.stdin.on('end', leave).on('error', leave).resume();
  return {
    end,
    ignore() {
      if (held) process.stdin.destroy();
    },
  };
}

/** A terminal or `/dev/null` says nothing about whoever started this. */
function holdsPipe(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}
