import { approvalId, scheduleId } from '@relay/contract/ids';
import { describe, expect, test } from 'vitest';
import { openClientFixture } from '../testing/acting.ts';

const fixture = await openClientFixture();
const { approvals, ledger, newClient, schedules, somebody, sql } = fixture;

const TEA = { message: 'Tea?', time: '09:00', pattern: 'daily' };
const bodies = async (chat: string) =>
  (await sql<{ body: string }>('SELECT body FROM schedules WHERE chat_id = $1', [chat])).map(
    ({ body }) => body,
  );

describe('schedule_message', () => {
  test('schedules as the token with a grant, and returns what was understood', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    const answer = await claude.call('schedule_message', { chat_id: who.name, ...TEA });
    expect(answer).toMatchObject({
      status: 'scheduled',
      when: 'every day at 09:00, Europe/Berlin',
      next_at: expect.stringMatching(/T0[78]:00:00/),
    });
    const all = await schedules.service.list('active');
    expect(all.find(({ id }) => id === answer.schedule_id)).toMatchObject({
      text: 'Tea?',
      created_by: claude.actor,
    });
    expect(await ledger(claude.actor)).toEqual([
      { action: 'schedule_message', outcome: 'allow', reason: 'standing_grant' },
    ]);
  });

  test('schedules once, weekly and by cron, with a time zone and a rule for missed runs', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    const words = async (more: object) =>
      (await claude.call('schedule_message', { chat_id: who.phone, ...TEA, ...more })).when;
    expect([
      await words({ pattern: 'weekly', days: ['mon', 'fri'], zone: 'Africa/Cairo' }),
      await words({ pattern: 'cron', cron: '0 9 1 * *', time: undefined }),
      await words({ pattern: 'once', date: '2099-01-02', catch_up: 'all' }),
    ]).toEqual([
      expect.stringContaining('Africa/Cairo'),
      expect.any(String),
      expect.stringContaining('2099'),
    ]);
    for (const wrong of [
      { time: '9 am' },
      { time: undefined },
      { pattern: 'cron' },
      { zone: 'Mars/North' },
    ]) {
      await expect(words(wrong)).rejects.toMatchObject({ code: 'invalid_schedule' });
    }
  });

  test('is refused and recorded without a grant to write', async () => {
    const [who, claude] = [await somebody({ canReply: false }), await newClient()];
    const asking = claude.call('schedule_message', { chat_id: who.phone, ...TEA });
    await expect(asking).rejects.toThrow('not allowed replies here');
    expect(await ledger(claude.actor)).toMatchObject([{ outcome: 'deny' }]);
  });

  test('waits for approval after the client has read messages, then is scheduled as the token’s', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    await claude.reads(who);
    const answer = await claude.call('schedule_message', { chat_id: who.phone, ...TEA });
    expect(answer.status).toBe('waiting_for_approval');
    expect(await bodies(who.chat)).toEqual([]);
    await approvals.approve(approvalId(String(answer.approval_id)));
    const listed = await claude.call('list_schedules', {});
    expect(listed.schedules).toContainEqual(
      expect.objectContaining({ name: who.name, created_by_you: true, message: 'Tea?' }),
    );
  });

  test('schedules nothing on approval when the token was revoked', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    await claude.reads(who);
    const answer = await claude.call('schedule_message', { chat_id: who.phone, ...TEA });
    await claude.revoke();
    const yes = approvals.approve(approvalId(String(answer.approval_id)));
    await expect(yes).rejects.toThrow('Not allowed');
    expect(await bodies(who.chat)).toEqual([]);
  });

  test('asks the person with recipient, time and text; declining schedules nothing', async () => {
    const [who, claude] = [await somebody(), await newClient({ confirm: true })];
    const asked: string[] = [];
    const call = (says: 'yes' | 'no' | 'cannot') =>
      claude.call('schedule_message', { chat_id: who.phone, ...TEA }, { says, asked });
    await expect(call('no')).rejects.toThrow();
    expect([await bodies(who.chat), await ledger(claude.actor)]).toEqual([[], []]);
    expect((await call('yes')).status).toBe('scheduled');
    expect((await call('cannot')).status).toBe('waiting_for_approval');
    expect(asked[0]).toBe(
      `Send this to ${who.name} (${who.phone}), every day at 09:00, Europe/Berlin?\n\nTea?`,
    );
  });

  test('schedules once for the same key', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    const call = () =>
      claude.call('schedule_message', { chat_id: who.phone, ...TEA }, { key: 'tea' });
    const [one, two] = await Promise.all([call(), call()]);
    expect([two, await bodies(who.chat)]).toEqual([one, ['Tea?']]);
  });
});

describe('a scheduled message', () => {
  test('is listed for chats in reach, with the text only of the client’s own', async () => {
    const [ana, ben, stranger] = [await somebody(), await somebody(), await somebody(null)];
    const claude = await newClient({ contacts: [ana] });
    for (const { phone } of [ana, ben, stranger]) {
      await schedules.service.create({ to: phone, text: 'Surprise', when: 'daily 10:00' });
    }
    await claude.call('schedule_message', { chat_id: ana.phone, ...TEA });
    const { schedules: seen } = await claude.call('list_schedules', {});
    // Which of the two comes first depends on the time of day.
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual(
      expect.objectContaining({ name: ana.name, created_by_you: true, message: 'Tea?' }),
    );
    expect(seen).toContainEqual(expect.objectContaining({ name: ana.name, created_by_you: false }));
    expect(JSON.stringify(seen)).not.toContain('Surprise');
    const wide = await (await newClient()).call('list_schedules', { state: 'all' });
    expect(JSON.stringify(wide)).not.toContain(stranger.phone.slice(1));
  });

  test('is cancelled at once and repeatably by the client that scheduled it, and by no other', async () => {
    const [who, claude, other] = [await somebody(), await newClient(), await newClient()];
    const { schedule_id: id } = await claude.call('schedule_message', {
      chat_id: who.phone,
      ...TEA,
    });
    const cancel = (by: typeof claude) => by.call('cancel_schedule', { id });
    await expect(cancel(other)).rejects.toThrow('end only what it started itself');
    expect(await ledger(other.actor)).toEqual([
      { action: 'cancel_schedule', outcome: 'deny', reason: 'not_its_own' },
    ]);
    expect(await cancel(claude)).toEqual({ id, status: 'cancelled' });
    expect((await cancel(claude)).status).toBe('cancelled');
    expect((await ledger(claude.actor)).at(-1)).toEqual({
      action: 'cancel_schedule',
      outcome: 'allow',
      reason: 'narrowing',
    });
    const owners = await schedules.service.create({
      to: who.phone,
      text: 'Mine',
      when: 'daily 10:00',
    });
    await expect(claude.call('cancel_schedule', { id: owners.id })).rejects.toThrow('Not allowed');
  });

  test('is not found when it is to a contact out of reach', async () => {
    const [ana, ben] = [await somebody(), await somebody()];
    const claude = await newClient({ contacts: [ana] });
    const { id } = await schedules.service.create({
      to: ben.phone,
      text: 'x',
      when: 'daily 10:00',
    });
    const asking = claude.call('cancel_schedule', { id: scheduleId(id) });
    await expect(asking).rejects.toThrow('may see');
    expect(await ledger(claude.actor)).toEqual([]);
  });
});
