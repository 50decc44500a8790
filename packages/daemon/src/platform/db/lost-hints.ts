// Finds work whose hint was lost, for all accounts of this process in one statement. Loops wait for hints, so that an
// account without work costs nothing: a hint that is lost costs half a minute.
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { sql } from 'kysely';
import { PollLoop } from '../poll-loop.ts';
import type { Db } from './database.ts';

interface LostHintOptions {
  /** For all accounts. */
  readonly db: Db;
  readonly log: Log;
  /** Those that this process works for. */
  accounts(): readonly AccountId[];
  /** Makes every loop of an account look. */
  wake(account: AccountId): void;
  readonly everyMs?: number | undefined;
}

const LOOK_EVERY_MS = 30_000;

/** Returns a function that stops it. */
export function watchForLostHints(options: LostHintOptions): () => Promise<void> {
  const { db, log, accounts, wake, everyMs = LOOK_EVERY_MS } = options;
  const loop = new PollLoop({
    look: async () => {
      const served = accounts();
      if (served.length > 0) {
        const { rows } = await sql<{ account: AccountId }>`
          SELECT account FROM accounts_with_work(${served}::bigint[]) AS account`.execute(db);
        for (const { account } of rows) wake(account);
      }
      return everyMs;
    },
    failed: (error) => {
      log.warn('looking for lost hints failed', { error });
      return everyMs;
    },
  });
  loop.start();
  return () => loop.stop();
}
