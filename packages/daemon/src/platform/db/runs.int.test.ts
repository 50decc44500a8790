import { randomUUID } from 'node:crypto';
import { runId } from '@relay/contract/ids';
import { freshStore } from '@relay/testing/store';
import { sql as statement } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { takeLease } from './lease.ts';
import { noteRunSpending, spentTodaySql } from './runs.ts';

test.each([
  ['Pacific/Kiritimati', '2026-03-06', '2026-03-06T10:00:00Z'],
  ['Pacific/Pago_Pago', '2026-03-05', '2026-03-06T11:00:00Z'],
])(
  "the owner's day in %s ends at midnight there, wherever the daemon runs",
  async (zone, day, midnight) => {
    const { database, account, sql } = await freshStore(onTestFinished);
    const db = database.kysely;
    const lease = await takeLease(db, account, randomUUID());
    if (lease === null) throw new Error('a fresh account is free');
    const at = (time: string | number) => ({ now: () => new Date(time), zone });
    const spending = { run: runId(randomUUID()), usedBefore: statement<number>`0` };
    const spent = { provider: 'p', model: 'm', inputTokens: 3, outputTokens: 4, micros: 5 };
    const { day: used } = await noteRunSpending(
      db,
      lease,
      { ...spending, clock: at('2026-03-05T12:00:00Z') },
      spent,
    );
    expect(used).toEqual({ tokens: 7, micros: 5 });
    expect(await sql('SELECT day::text FROM spending')).toEqual([{ day }]);
    const usedAt = async (time: number) => {
      const today = spentTodaySql(account, at(time));
      return (await statement<{ used: object }>`SELECT ${today} AS used`.execute(db)).rows[0]?.used;
    };
    expect(await usedAt(Date.parse(midnight) - 1)).toEqual({ tokens: 7, micros: 5 });
    expect(await usedAt(Date.parse(midnight))).toEqual({ tokens: 0, micros: 0 });
  },
);
