import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { RelayError } from '@relay/contract/errors';
import type { ChatId, RequestId } from '@relay/contract/ids';
import { settingsSchema } from '@relay/contract/settings';
import { startModelServer } from '@relay/simulator/model/server';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../models/agent/clock.ts';
import { fastClock } from '../../models/agent/testing/scripted.ts';
import { putMessages } from '../../platform/db/messages.ts';
import { putObserverRequest } from '../../platform/db/observer/requests.ts';
import type { ObserverDeps } from './on-message.ts';
import { onTriggerJob } from './trigger.ts';

const harness = await freshDaemonHarness();
const { sql, account, conversations, database } = harness;
const model = await startModelServer();
afterAll(() => model.close());
const settings = settingsSchema.parse({ observer: { assistant_name: 'Annie' } });
const observing: ObserverDeps = {
  ...conversations,
  settings,
  admins: [],
  clock: fastClock(),
  models: {
    open: async () => {
      const server = createOpenAICompatible({ name: 'scripted', baseURL: `${model.url}/v1` });
      return { model: server.chatModel('m'), provider: 'scripted', name: 'm' };
    },
  },
};

let numbers = 0;
/** The owner addressed the assistant in an observed group a moment ago. */
async function asked(minutesAgo = 0): Promise<{ chat: ChatId; request: RequestId }> {
  const [row] = await sql<{ id: ChatId }>(
    `INSERT INTO chats (account_id, kind, group_address) VALUES ($1, 'group', $2) RETURNING id`,
    [account, `12036300${++numbers}@g.us`],
  );
  if (row === undefined) throw new Error('no chat');
  const chat = row.id;
  await sql(`INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')`, [
    account,
    chat,
  ]);
  const sentAt = new Date(Math.floor((Date.now() - minutesAgo * 60_000) / 1_000) * 1_000);
  const request = await database.kysely.transaction().execute(async (tx) => {
    const stored = await putMessages(tx, account, [
      {
        ...{ chat, sender: null, id: `Q${numbers}` as never, sentAt, kind: 'conversation' },
        ...{ body: 'Annie, what is the plan?', quotedId: null, media: null, isLate: false },
        ...{ source: 'whatsapp', inboxSeq: null },
      },
    ]);
    return putObserverRequest(tx, account, { chat, number: stored.get(0) ?? 0, sentAt }, null);
  });
  if (request === null) throw new Error('no request');
  return { chat, request };
}

async function came(
  request: RequestId,
  over: Partial<ObserverDeps> = {},
): Promise<{ state: string; reason: string | null; verdict: string | null }> {
  let done = 0;
  await onTriggerJob({ ...observing, ...over })(
    { data: { account, subject: request }, complete: async () => void done++ } as never,
    new AbortController().signal,
  );
  expect(done).toBe(1);
  const [row] = await sql<{ state: string; reason: string | null; verdict: string | null }>(
    'SELECT state, reason, verdict FROM observer_requests WHERE id = $1',
    [request],
  );
  if (row === undefined) throw new Error('no request');
  return row;
}

const answers = (reply: object) => model.rules([{ when: {}, reply }]);
const silent = (reason: string) => ({ state: 'silent', reason, verdict: null });
const jobs = () =>
  sql<{ id: string }>(
    "SELECT data->>'subject' AS id FROM relay_jobs.job WHERE name = 'group_answer'",
  );

test('queues one answer for a clear request and counts the cost for the group', async () => {
  const { chat, request } = await asked();
  answers({ text: '{"label": "direct_request"}' });
  const unhurried = { clock: systemClock };
  expect(await came(request, unhurried)).toEqual({
    state: 'answering',
    reason: null,
    verdict: 'direct_request',
  });
  // Running the job again changes nothing.
  await came(request);
  expect((await jobs()).filter(({ id }) => id === request)).toHaveLength(1);
  const [usage] = await sql<{ spent: number }>(
    'SELECT tokens_spent AS spent FROM observer_usage WHERE chat_id = $1',
    [chat],
  );
  expect(usage?.spent).toBeGreaterThan(50);
});

test.each([
  ['prose', { text: 'I believe this is a request, so you should answer it.' }, 'unclear'],
  ['garbage', { text: '\u0000{]label: direct' }, 'unclear'],
  ['nothing', { text: '' }, 'unclear'],
  ['two labels', { text: 'direct_request or mention_only' }, 'unclear'],
  ['a model that fails', { status: 400 }, 'model_failed'],
  [
    'a model that never answers',
    { text: '{"label": "direct_request"}', delay_ms: 20_000 },
    'model_failed',
  ],
])('does not answer on %s', async (_, reply, reason) => {
  answers(reply);
  const { request } = await asked();
  expect(await came(request)).toEqual(silent(reason));
  expect((await jobs()).map(({ id }) => id)).not.toContain(request);
});

test('does not answer and makes no model call without a model, during a hold, without budget or too late', async () => {
  answers({ text: '{"label": "direct_request"}' });
  const calls = model.calls().length;
  const without = { open: () => Promise.reject(new RelayError('agent_unavailable')) };
  expect(await came((await asked()).request, { models: without })).toEqual(silent('no_model'));
  expect(await came((await asked(6)).request)).toEqual(silent('too_old'));
  await harness.hold();
  expect(await came((await asked()).request)).toEqual(silent('on_hold'));
  await harness.release();
  const agent = { ...settings.agent, tokens_per_day: 1 };
  const poor = { settings: { ...settings, agent } };
  expect(await came((await asked()).request, poor)).toEqual(silent('budget_used'));
  expect(model.calls()).toHaveLength(calls);
});

test('leaves the request unchanged when the daemon stops during the call', async () => {
  answers({ text: '{"label": "direct_request"}', delay_ms: 20_000 });
  const { request } = await asked();
  const stop = new AbortController();
  const job = { data: { account, subject: request }, complete: async () => {} };
  const running = onTriggerJob({ ...observing, clock: { ...observing.clock, now: () => 0 } })(
    job as never,
    stop.signal,
  );
  setTimeout(() => stop.abort(new Error('stopping')), 200);
  await expect(running).rejects.toThrow();
  const rows = await sql('SELECT state FROM observer_requests WHERE id = $1', [request]);
  expect(rows).toEqual([{ state: 'asked' }]);
});
