// Test fixture: an observed group whose messages and verdicts the test sets, with digests by the scripted model.

import { type ChatId, chatId, type MessageId } from '@relay/contract/ids';
import { settingsSchema } from '@relay/contract/settings';
import { estimateTokens } from '@relay/core/agent/context-window';
import type { NoiseCategory } from '@relay/core/observer/message';
import type { DaemonHarness } from '@relay/testing/daemon-harness';
import type { TestStore } from '@relay/testing/store';
import type { Scripted } from '../../../../models/agent/testing/scripted.ts';
import { putMessages } from '../../../../platform/db/messages.ts';
import type { Job } from '../../../../platform/jobs/queue-worker.ts';
import { onDigestJob } from '../digest-job.ts';
import type { DigestDeps } from '../due.ts';

export interface Said {
  readonly at: string;
  readonly who: string;
  readonly text: string;
  readonly category?: NoiseCategory;
  readonly kind?: string;
  readonly id?: string;
  readonly quotes?: string;
}

export interface TestGroup {
  readonly chat: ChatId;
  readonly deps: DigestDeps;
  say(...said: readonly Said[]): Promise<number[]>;
  takeBack(number: number): Promise<void>;
  /** Runs the job of a due timer; resolves when it has ended. */
  wake(signal?: AbortSignal): Promise<void>;
  digests(kind?: 'hourly' | 'daily'): Promise<{ body: string; kind: string; start: Date }[]>;
  /** When the group is checked next. */
  nextLook(): Promise<Date | null>;
}

export async function observedGroup(
  { conversations, sql, account, database }: DaemonHarness & TestStore,
  model: Scripted,
  { zone, since, now }: { zone: string; since: string; now: () => Date },
): Promise<TestGroup> {
  const [row] = await sql<{ id: string }>(
    `INSERT INTO chats (account_id, kind, group_address, subject)
     VALUES ($1, 'group', $2, 'Holliday') RETURNING id`,
    [account, `${Math.floor(Math.random() * 1e15)}@g.us`],
  );
  const chat = chatId(row?.id ?? '');
  await sql(
    'INSERT INTO observed_groups (account_id, chat_id, zone, since) VALUES ($1, $2, $3, $4)',
    [account, chat, zone, since],
  );
  const { agent, observer, retention } = settingsSchema.parse({});
  const deps: DigestDeps = {
    ...conversations,
    now,
    settings: { agent, observer, retention, admin_phone_numbers: [] },
    models: { open: async () => model.opened() },
    clock: model.clock,
  };
  let written = 0;
  return {
    chat,
    deps,
    async say(...said) {
      const db = database.kysely;
      const numbers = await db.transaction().execute((tx) =>
        putMessages(
          tx,
          account,
          said.map(({ at, who, text, kind = 'conversation', id, quotes }) => ({
            chat,
            sender: null,
            senderName: who,
            id: (id ?? `m${++written}`) as MessageId,
            sentAt: new Date(at),
            kind,
            body: text,
            quotedId: quotes ?? null,
            media: null,
            isLate: false,
            source: 'notification',
            inboxSeq: null,
          })),
        ),
      );
      for (const [at, number] of numbers) {
        const message = said[at];
        const category = message?.category ?? 'content';
        await sql(
          `INSERT INTO observed_messages (account_id, chat_id, message, sent_at, category, noise, tokens)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
          [
            account,
            chat,
            number,
            message?.at,
            category,
            category !== 'content',
            estimateTokens(message?.text ?? ''),
          ],
        );
      }
      return [...numbers.values()];
    },
    async takeBack(number) {
      await sql('DELETE FROM observed_messages WHERE account_id = $1 AND message = $2', [
        account,
        number,
      ]);
    },
    async wake(signal = new AbortController().signal) {
      await sql("DELETE FROM timers WHERE kind = 'digest' AND subject_id = $1", [chat]);
      const job = {
        id: 'job',
        data: { account, subject: chat },
        attempt: 1,
        complete: async () => {},
      };
      return onDigestJob(deps)(job satisfies Job<'digest'>, signal);
    },
    digests: (kind) =>
      sql(
        `SELECT body, kind, period_start AS start FROM digests WHERE account_id = $1 AND chat_id = $2
         AND ($3::text IS NULL OR kind = $3) ORDER BY period_start, kind`,
        [account, chat, kind ?? null],
      ),
    async nextLook() {
      const [timer] = await sql<{ due_at: Date }>(
        "SELECT due_at FROM timers WHERE account_id = $1 AND kind = 'digest' AND subject_id = $2",
        [account, chat],
      );
      return timer?.due_at ?? null;
    },
  };
}
