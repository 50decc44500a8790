// Baileys' log lines in Relay's log. Its objects hold keys, stanzas and bodies, so only the text of a
// line and the name of an error pass; and only what Baileys itself calls a warning or an error.

import type { Log } from '@relay/core/log';
import type { UserFacingSocketConfig } from '@whiskeysockets/baileys';

export type BaileysLogger = NonNullable<UserFacingSocketConfig['logger']>;

const LONGEST = 160;

/** Baileys puts addresses and ids into some of its texts. */
const plain = (text: string): string =>
  text.replace(/(?<![\w.:+-])[\w.:+-]*@[\w.]+|\d{5,}/g, '…').slice(0, LONGEST);

function lineOf(first: unknown, text: string | undefined): string {
  if (text !== undefined) return text;
  return typeof first === 'string' ? first : 'said nothing';
}

function errorOf(first: unknown): string | undefined {
  if (typeof first !== 'object' || first === null) return undefined;
  const { err, error } = first as { err?: unknown; error?: unknown };
  const found = err ?? error;
  return found instanceof Error ? found.name : undefined;
}

export function baileysLogger(log: Log): BaileysLogger {
  const pass = (level: 'warn' | 'error') => (first: unknown, text?: string) => {
    const code = errorOf(first);
    log[level](`Baileys: ${plain(lineOf(first, text))}`, code === undefined ? {} : { code });
  };
  const drop = () => undefined;
  const logger: BaileysLogger = {
    level: 'warn',
    child: () => logger,
    trace: drop,
    debug: drop,
    info: drop,
    // A stanza Baileys could not handle is no fault of Relay's: every close is told by our own lines.
    warn: pass('warn'),
    error: pass('warn'),
  };
  return logger;
}
