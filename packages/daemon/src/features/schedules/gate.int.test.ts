import { randomUUID } from 'node:crypto';
import { approvalId, type ChatId, runId, type ScheduleId, tokenId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { recheckPermits } from '@relay/daemon/pipeline/gate/recheck';
import { newPhone } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import { findOrMakeChat } from '../../pipeline/gate/send-as-owner.ts';
import { findReady } from '../../pipeline/outbox/claim.ts';
import { type AgentScheduleRequest, cancelSchedule, scheduleForAgent } from './service.ts';
import { DAY, HOUR, openScheduleFixture } from './testing/fixture.ts';

const fixture = await openScheduleFixture('2026-02-02T07:00:00Z');
const { account, create, database, jump, runs, sent, shown, sql } = fixture;
afterAll(() => fixture.close());
fixture.whatsapp('away');
beforeEach(async () => {
  await fixture.clear();
  // Monday 09:00 in Cairo: the next 09:00 is a day away.
  await fixture.moveTo('2026-02-02T07:00:00Z');
  fixture.harness().settings.tell_owner_on_whatsapp = false;
});

const inTransaction = database.kysely.transaction();
const scheduling = () => ({ ...fixture.harness().conversations, zone: 'Africa/Cairo' });
const newChat = (): Promise<ChatId> =>
  inTransaction.execute((tx) => findOrMakeChat(tx, account, newPhone()));

/** A contact who has written before and may be written to. */
async function granted(mode: 'auto' | 'draft' = 'auto'): Promise<ChatId> {
  const chat = await newChat();
  await sql(
    `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, reply_mode, can_initiate)
     SELECT account_id, contact_id, 'Mum', true, true, $2, true FROM chats WHERE id = $1`,
    [chat, mode],
  );
  await sql(
    `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
     VALUES ($1, $2, 'them', $3, 1, now())`,
    [account, chat, randomUUID()],
  );
  return chat;
}

const asAgent = (request: AgentScheduleRequest, context: SubmitContext = {}) => {
  const actor = { kind: 'assistant', run: runId(randomUUID()) } as const;
  return inTransaction.execute((tx) => scheduleForAgent(scheduling(), tx, actor, request, context));
};
const daily = (chat: ChatId): AgentScheduleRequest => ({
  chat,
  text: 'Call',
  time: '09:00',
  pattern: 'daily',
});
const made = (id: ScheduleId | null) => ({ id: id ?? expect.fail('nothing was scheduled') });

const onlyQuestion = async () => {
  const waiting = await fixture.harness().approvals.list('pending');
  expect(waiting).toHaveLength(1);
  return approvalId(waiting[0]?.id ?? '');
};

async function verdicts() {
  return inTransaction.execute(async (tx) => {
    const ready = await findReady(tx, account, {
      now: new Date(),
      room: 100,
      inFlight: [],
      firstContacts: 'open',
      reconciled: true,
      horizon: new Date(0),
    });
    const pacing = pacingSchema.parse({ enabled: false });
    return (await recheckPermits(account, { pacing })(tx, ready)).at(-1);
  });
}

describe('a schedule of the assistant', () => {
  test('reads 09:00 as hour 9, minute 0 in the set zone, daily, weekly or once', async () => {
    verifies('001-SCHED-TIME');
    const chat = await granted();
    await jump(HOUR);
    const first = async (more: Partial<AgentScheduleRequest>) =>
      (await asAgent({ ...daily(chat), ...more })).words;
    expect([
      await first({}),
      await first({ pattern: 'once' }),
      await first({ pattern: 'once', date: '2026-03-01' }),
      await first({ pattern: 'weekly' }),
      await first({ pattern: 'weekly', days: ['fri', 'mon'] }),
      await first({ pattern: 'cron', cron: '0 9 1 * *' }),
    ]).toEqual([
      'every day at 09:00, Africa/Cairo',
      'once, Tue 3 Feb 2026 09:00, Africa/Cairo',
      'once, Sun 1 Mar 2026 09:00, Africa/Cairo',
      'every Tuesday at 09:00, Africa/Cairo',
      'every Monday and Friday at 09:00, Africa/Cairo',
      'on the 1st of every month at 09:00, Africa/Cairo',
    ]);
    expect((await asAgent(daily(chat))).next.toISOString()).toBe('2026-02-03T07:00:00.000Z');
  });

  test.each([
    [{ time: '9' }, 'Give the time as HH:MM'],
    [{ time: '9', pattern: 'once' as const }, 'Give the time as 2026'],
    [{ pattern: 'cron' as const }, 'Give a cron expression'],
    [{ zone: 'Mars/Olympus' }, 'is not a time zone'],
    [{ pattern: 'once' as const, date: '2020-01-01' }, 'has passed'],
  ])('%j is refused with a sentence', async (more, what) => {
    await expect(asAgent({ ...daily(await granted()), ...more })).rejects.toThrow(what);
  });

  test('is sent while its grant exists, and not afterwards', async () => {
    const chat = await granted();
    const { decision, id } = await asAgent(daily(chat));
    expect(decision).toMatchObject({ outcome: 'allow', reason: 'standing_grant' });
    await jump(DAY);
    expect(await sent(made(id))).toBe(1);
    expect(await verdicts()).toEqual({ verdict: 'go' });
    await sql('DELETE FROM grants WHERE account_id = $1', [account]);
    expect(await verdicts()).toMatchObject({ verdict: 'stop', lost: true });
    await jump(DAY);
    await jump(DAY);
    const { last } = await shown(made(id));
    expect([await sent(made(id)), last]).toMatchObject([
      1,
      { outcome: 'refused', reason_code: 'no_grant' },
    ]);
  });

  test('without a grant is refused and recorded in the ledger', async () => {
    const { decision, id } = await asAgent(daily(await newChat()));
    expect([decision.outcome, decision.reason, id]).toEqual(['deny', 'no_grant', null]);
    const [row] = await sql('SELECT action, outcome FROM ledger ORDER BY seq DESC LIMIT 1');
    expect(row).toEqual({ action: 'schedule_message', outcome: 'deny' });
  });

  test('needs an approval after reading someone’s message, and is then sent without asking again', async () => {
    const chat = await granted();
    const taint = { chats: [chat], outside: false };
    const asked = await asAgent(daily(chat), { taint });
    expect([asked.decision.reason, asked.id]).toEqual(['read_then_schedule', null]);
    const [question] = await fixture.harness().approvals.list('pending');
    expect(question).toMatchObject({
      kind: 'schedule_message',
      text: 'Call',
      when: 'every day at 09:00, Africa/Cairo; if Relay is offline: skip missed runs',
    });
    await fixture.harness().approvals.approve(await onlyQuestion());
    const [schedule] = await fixture.harness().schedules.service.list('active');
    await sql("UPDATE grants SET reply_mode = 'draft' WHERE account_id = $1", [account]);
    await jump(DAY);
    expect(await sent({ id: schedule?.id ?? '' })).toBe(1);
    expect((await shown({ id: schedule?.id ?? '' })).last?.reason_code).toBe('scheduled');
  });

  test('is refused with a sentence when it is approved after its time has passed', async () => {
    const chat = await granted();
    const taint = { chats: [chat], outside: false };
    const { approval } = await asAgent({ ...daily(chat), pattern: 'once' }, { taint });
    await jump(2 * DAY);
    const id = approvalId(approval ?? '');
    await expect(fixture.harness().approvals.approve(id)).rejects.toThrow('has passed');
    await fixture.harness().approvals.reject(id, null);
  });

  test('needs an approval for each run when replies became drafts', async () => {
    const { id } = await asAgent(daily(await granted()));
    await sql("UPDATE grants SET reply_mode = 'draft' WHERE account_id = $1", [account]);
    await jump(DAY);
    expect((await shown(made(id))).last).toMatchObject({
      outcome: 'waiting',
      reason_code: 'draft',
      approval_id: await onlyQuestion(),
    });
    expect(await sent(made(id))).toBe(0);
    await fixture.harness().approvals.approve(await onlyQuestion());
    expect((await shown(made(id))).last).toMatchObject({
      message_state: 'pending',
      approval_id: null,
    });
    expect([await sent(made(id)), await verdicts()]).toEqual([1, { verdict: 'go' }]);
  });

  test('loses its pending approval when it is cancelled', async () => {
    const { id } = await asAgent(daily(await granted()));
    await sql("UPDATE grants SET reply_mode = 'draft' WHERE account_id = $1", [account]);
    await jump(DAY);
    const question = await onlyQuestion();
    await fixture.cancel(made(id));
    await expect(fixture.harness().approvals.approve(question)).rejects.toThrow('expired');
    expect(await sent(made(id))).toBe(0);
  });

  test('is cancelled by the assistant at once, with the actor in the ledger', async () => {
    const { id } = await asAgent(daily(await granted()));
    const actor = { kind: 'assistant', run: runId(randomUUID()) } as const;
    await inTransaction.execute((tx) =>
      cancelSchedule(scheduling(), tx, actor, made(id).id as ScheduleId),
    );
    expect((await shown(made(id))).state).toBe('cancelled');
    const [row] = await sql('SELECT actor, action, reason FROM ledger ORDER BY seq DESC LIMIT 1');
    expect(row).toEqual({
      actor: `assistant:${actor.run}`,
      action: 'cancel_schedule',
      reason: 'narrowing',
    });
  });
});

describe('a schedule of a client', () => {
  const asProgram = async (request: AgentScheduleRequest) => {
    const [row] = await sql<{ id: string }>(
      `INSERT INTO tokens (account_id, name, hash, scopes) VALUES ($1, $2, sha256($2::text::bytea), '{schedules:write}') RETURNING id`,
      [account, randomUUID()],
    );
    const token = tokenId(row?.id ?? '');
    const actor = { kind: 'token', token, scopes: ['schedules:write'], contacts: null } as const;
    const { id } = await inTransaction.execute((tx) =>
      scheduleForAgent(scheduling(), tx, actor, request),
    );
    const change = (set: string) => sql(`UPDATE tokens SET ${set} WHERE id = $1`, [token]);
    return { schedule: made(id), change };
  };

  test.each([
    ['revoked', 'revoked_at = now()'],
    ['out of date', "expires_at = now() - interval '1 second'"],
    ['without the scope', "scopes = '{schedules:read}'"],
    ['limited to others', "contacts = '{00000000-0000-4000-8000-000000000000}'"],
  ])('is sent while its token is valid; once it is %s nothing is sent', async (_, set) => {
    const { schedule, change } = await asProgram(daily(await granted()));
    await jump(DAY);
    expect([await sent(schedule), await verdicts()]).toEqual([1, { verdict: 'go' }]);
    await change(set);
    expect(await verdicts()).toMatchObject({ verdict: 'stop', reason: 'program_gone', lost: true });
    await jump(DAY);
    expect((await shown(schedule)).last).toMatchObject({
      outcome: 'refused',
      reason_code: 'program_gone',
    });
    expect(await sent(schedule)).toBe(1);
    await sql("UPDATE outbox SET state = 'failed' WHERE account_id = $1", [account]);
  });
});

describe('a cancelled schedule', () => {
  test('sends nothing more and stops a queued message', async () => {
    const schedule = await create('in 1 hour');
    await jump(HOUR);
    expect([await sent(schedule), await verdicts()]).toEqual([1, { verdict: 'go' }]);
    await fixture.cancel(schedule);
    expect(await verdicts()).toMatchObject({ verdict: 'stop' });
    expect((await fixture.cancel(schedule)).state).toBe('cancelled');
  });

  test('sends nothing when it was never due', async () => {
    const schedule = await create('daily 09:00');
    await fixture.cancel(schedule);
    await jump(3 * DAY);
    expect([await sent(schedule), await runs(schedule)]).toEqual([0, []]);
  });

  test('cannot be cancelled when it is finished or does not exist', async () => {
    const schedule = await create('in 1 hour');
    await jump(HOUR);
    await sql("UPDATE outbox SET state = 'sent' WHERE account_id = $1", [account]);
    await expect(fixture.cancel(schedule)).rejects.toThrow('has already ended');
    await expect(fixture.cancel({ id: randomUUID() })).rejects.toThrow('not found');
  });
});

describe('a hold', () => {
  test('delays due runs and applies the catch-up rule to missed runs when it ends', async () => {
    await fixture.moveTo('2026-04-06T05:00:00Z');
    const [once, skip] = [
      await create('daily 09:00', { catch_up: 'once' }),
      await create('daily 09:00'),
    ];
    await fixture.harness().hold();
    await jump(2 * DAY + 12 * HOUR);
    await fixture.restart();
    expect([await runs(once), await runs(skip)]).toEqual([[], []]);
    await fixture.harness().release();
    await fixture.harness().quiet();
    expect([await runs(once), await runs(skip)]).toEqual([
      ['04-06T07:00 skipped ×2', '04-08T07:00 queued'],
      ['04-06T07:00 skipped ×3'],
    ]);
  });
});

describe('a refused run', () => {
  test('is reported to the owner in their own chat once', async () => {
    await sql("UPDATE accounts SET phone = '4915199999999' WHERE id = $1", [account]);
    const { id } = await asAgent(daily(await granted()));
    await sql('DELETE FROM grants WHERE account_id = $1', [account]);
    fixture.harness().settings.tell_owner_on_whatsapp = true;
    const told = async () =>
      (
        await sql<{ body: string }>(
          `SELECT o.body FROM outbox o JOIN permits p ON p.id = o.permit_id WHERE p.actor = 'notifier'`,
        )
      ).map(({ body }) => body);
    for (let day = 0; day < 3; day++) await jump(DAY);
    expect((await runs(made(id))).map((run) => run.split(' ')[1])).toEqual(
      Array(3).fill('refused'),
    );
    expect(await told()).toEqual([
      expect.stringContaining(
        'a scheduled message was not sent: "Call" (every day at 09:00, Africa/Cairo).',
      ),
    ]);
    const events = await sql(
      "SELECT 1 FROM events WHERE kind = 'schedule' AND subject = $1 AND data->>'outcome' = 'refused'",
      [id],
    );
    expect(events).toHaveLength(3);
  });
});

describe('the recipient', () => {
  test('me means the owner’s own chat', async () => {
    verifies('001-SCHED-SELF');
    await sql("UPDATE accounts SET phone = '4915199999999' WHERE id = $1", [account]);
    const schedule = await create('daily 09:00', { to: 'me' });
    expect(schedule.recipient).toBe('+4915199999999');
    await jump(HOUR);
    expect(await sent(schedule)).toBe(1);
  });

  test('a name is resolved if it is unique, and refused if ambiguous or unknown', async () => {
    await granted();
    expect(await create('daily 09:00', { to: 'mum' })).toMatchObject({ recipient_name: 'Mum' });
    await granted();
    await expect(create('daily 09:00', { to: 'Mum' })).rejects.toThrow('Mum could mean: ');
    await expect(create('daily 09:00', { to: 'Nobody' })).rejects.toThrow(
      'There is no contact named',
    );
  });

  test('stores nothing for a preview', async () => {
    const count = async () => (await sql('SELECT 1 FROM chats')).length;
    const before = await count();
    const { service } = fixture.harness().schedules;
    expect(
      await service.preview({ to: newPhone(), text: 'Hi', when: 'every weekday 9am' }),
    ).toMatchObject({
      words: 'every weekday at 09:00, Europe/Berlin',
      next: Array(5).fill(expect.any(String)),
    });
    expect([await count(), await service.list('active')]).toEqual([before, []]);
  });
});

test('shows who created a schedule and lists past schedules separately', async () => {
  const { id } = await asAgent(daily(await granted()));
  const mine = await create('daily 10:00');
  await fixture.cancel(mine);
  const { service } = fixture.harness().schedules;
  const past = (await service.list('past')).find(({ id: each }) => each === mine.id);
  expect(past).toMatchObject({ who: 'you', state: 'cancelled' });
  const active = await service.list('active');
  expect(active.map(({ who }) => who)).toEqual(['assistant']);
  expect(await service.list('active', { limit: 1, offset: 1 })).toEqual([]);
  expect(active[0]?.id).toBe(made(id).id);
});
