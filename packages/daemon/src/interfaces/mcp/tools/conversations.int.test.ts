import { randomUUID } from 'node:crypto';
import { approvalId, instanceId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import { openClientFixture } from '../testing/acting.ts';

const fixture = await openClientFixture();
const { approvals, ledger, newClient, somebody, sql, state, service } = fixture;
const OBJECTIVE = 'Agree on a time for tea';

const created = (answer: Record<string, unknown>) => instanceId(String(answer.id));
const waiting = (answer: Record<string, unknown>) => approvalId(String(answer.approval_id));
const instances = async (target: string) =>
  (await sql('SELECT id FROM instances WHERE target_contact = $1', [target])).length;

describe('create_conversation', () => {
  test('starts the agent with a grant to start conversations, and records the token in the ledger', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    const answer = await claude.call('create_conversation', {
      chat_id: who.name,
      objective: OBJECTIVE,
      todos: [{ text: 'Ask for a day' }],
      facts: ['Any afternoon'],
      heartbeat_config: { max_followups: 2 },
    });
    expect(answer).toMatchObject({ status: 'created', state: 'CREATED' });
    await fixture.reaches(created(answer), 'WAITING_FOR_REPLY');
    expect(await service.get(created(answer))).toMatchObject({
      objective: OBJECTIVE,
      target_contact: who.phone,
      facts: ['Any afternoon'],
      heartbeat_config: { max_followups: 2 },
    });
    expect(await ledger(claude.actor)).toEqual([
      { action: 'create_conversation', outcome: 'allow', reason: 'standing_grant' },
    ]);
  });

  test('is refused with a sentence and a ledger row without that grant', async () => {
    const [who, claude] = [await somebody({ canInitiate: false }), await newClient()];
    const asking = claude.call('create_conversation', { chat_id: who.phone, objective: OBJECTIVE });
    await expect(asking).rejects.toThrow('not allowed agents to start conversations here');
    expect([await instances(who.phone), await ledger(claude.actor)]).toEqual([
      0,
      [{ action: 'create_conversation', outcome: 'deny', reason: 'no_initiate_grant' }],
    ]);
  });

  test('does not find contacts without a record or outside the token', async () => {
    const [stranger, ana, ben] = [await somebody(null), await somebody(), await somebody()];
    const claude = await newClient({ contacts: [ana] });
    for (const chat_id of [stranger.phone, ben.phone, ben.name, ben.chat]) {
      const asking = claude.call('create_conversation', { chat_id, objective: OBJECTIVE });
      await expect(asking).rejects.toThrow('that this client may use');
    }
    expect(await ledger(claude.actor)).toEqual([]);
  });

  test('waits for approval after the client has read messages, then is created as the token’s', async () => {
    const [who, other, claude] = [await somebody(), await somebody(), await newClient()];
    await claude.reads(other);
    const answer = await claude.call('create_conversation', {
      chat_id: who.address,
      objective: OBJECTIVE,
    });
    expect(answer).toMatchObject({
      status: 'waiting_for_approval',
      reason: expect.stringContaining('before it started this conversation'),
    });
    expect(await instances(who.phone)).toBe(0);
    await approvals.approve(waiting(answer));
    const seen = await claude.call('list_conversations', {});
    expect(seen.conversations).toContainEqual(
      expect.objectContaining({ name: who.name, created_by_you: true }),
    );
    expect(await ledger(claude.actor)).toEqual([
      { action: 'create_conversation', outcome: 'needs_approval', reason: 'read_then_start' },
      { action: 'create_conversation', outcome: 'allow', reason: 'approved' },
    ]);
    const [row] = await sql<{ detail: { taint?: unknown } }>(
      "SELECT detail FROM ledger WHERE actor = $1 AND reason = 'read_then_start'",
      [claude.actor],
    );
    expect(row?.detail.taint).toEqual({ chats: [other.chat], outside: false });
  });

  test('creates nothing on approval when the token was revoked or the grant removed meanwhile', async () => {
    const [ana, ben, claude] = [await somebody(), await somebody(), await newClient()];
    await claude.reads(ana);
    const ask = (who: typeof ana) =>
      claude.call('create_conversation', { chat_id: who.phone, objective: OBJECTIVE });
    const [one, two] = [waiting(await ask(ana)), waiting(await ask(ben))];
    await sql('DELETE FROM grants WHERE contact_id = $1', [ana.contact]);
    await expect(approvals.approve(one)).rejects.toThrow('has no grant');
    await claude.revoke();
    await expect(approvals.approve(two)).rejects.toThrow('Not allowed');
    expect([await instances(ana.phone), await instances(ben.phone)]).toEqual([0, 0]);
  });

  test('asks first where required: creates when confirmed, ends when declined, else asks the owner', async () => {
    const [who, claude] = [await somebody(), await newClient({ confirm: true })];
    const asked: string[] = [];
    const call = (says: 'yes' | 'no' | 'cannot', objective: string) =>
      claude.call('create_conversation', { chat_id: who.phone, objective }, { says, asked });
    await expect(call('no', 'First')).rejects.toThrow();
    expect(await ledger(claude.actor)).toEqual([]);
    expect(await call('cannot', 'Second')).toMatchObject({ status: 'waiting_for_approval' });
    expect(await call('yes', 'Third')).toMatchObject({ status: 'created' });
    expect(asked).toHaveLength(3);
    expect(asked[2]).toContain(`${who.name} (${who.phone})`);
    expect(asked[2]).toContain('“Third”');
    expect(await instances(who.phone)).toBe(1);
  });

  test('asks the owner about a contact never written to, even if the person at the client would confirm', async () => {
    const [who, claude] = [await somebody(), await newClient({ confirm: true })];
    await sql('DELETE FROM message_keys WHERE chat_id = $1', [who.chat]);
    const asked: string[] = [];
    const answer = await claude.call(
      'create_conversation',
      { chat_id: who.phone, objective: OBJECTIVE },
      { says: 'yes', asked },
    );
    expect([answer.status, asked]).toEqual(['waiting_for_approval', []]);
  });

  test('returns the first result for the same key and token, and refuses another request with it', async () => {
    const [who, claude, other] = [await somebody(), await newClient(), await newClient()];
    const input = { chat_id: who.phone, objective: OBJECTIVE };
    const key = randomUUID();
    const both = await Promise.all([
      claude.call('create_conversation', input, { key }),
      claude.call('create_conversation', input, { key }),
    ]);
    expect(both[1]).toEqual(both[0]);
    expect(await claude.call('create_conversation', input, { key })).toEqual(both[0]);
    expect(await instances(who.phone)).toBe(1);
    const changed = { ...input, objective: 'Something else' };
    await expect(claude.call('create_conversation', changed, { key })).rejects.toThrow('key');
    expect((await other.call('create_conversation', input, { key })).id).not.toBe(both[0]?.id);
    const odd = claude.call('create_conversation', input, { key: 'a\0b' });
    await expect(odd).rejects.toMatchObject({ code: 'invalid_request' });
    const kept = await sql<{ response: string }>(
      'SELECT response::text FROM idempotency_keys WHERE key = $1',
      [key],
    );
    expect(kept.map(({ response }) => response).join()).not.toContain(OBJECTIVE);
  });

  test('does not store a refusal under the key: with the grant the same call succeeds', async () => {
    const [who, claude] = [await somebody({ canInitiate: false }), await newClient()];
    const call = () =>
      claude.call(
        'create_conversation',
        { chat_id: who.phone, objective: OBJECTIVE },
        { key: 'mine' },
      );
    await expect(call()).rejects.toThrow('Not allowed');
    expect(await ledger(claude.actor)).toMatchObject([{ reason: 'no_initiate_grant' }]);
    await sql('UPDATE grants SET can_initiate = true WHERE contact_id = $1', [who.contact]);
    expect((await call()).status).toBe('created');
  });

  test('returns the same pending approval for the same key, without asking twice', async () => {
    const [who, claude] = [await somebody(), await newClient({ confirm: true })];
    const input = { chat_id: who.phone, objective: OBJECTIVE };
    const first = await claude.call('create_conversation', input, { key: 'k' });
    expect(first.status).toBe('waiting_for_approval');
    const asked: string[] = [];
    const again = await claude.call('create_conversation', input, { key: 'k', says: 'yes', asked });
    expect([again, asked]).toEqual([first, []]);
  });
});

test('pauses a client’s conversations when its token is revoked, until the owner resumes them', async () => {
  const [ana, ben, claude] = [await somebody(), await somebody(), await newClient()];
  const begun = created(
    await claude.call('create_conversation', { chat_id: ana.phone, objective: OBJECTIVE }),
  );
  const owners = await fixture.create(ben.phone);
  await fixture.reaches(begun, 'WAITING_FOR_REPLY');
  await fixture.reaches(owners, 'WAITING_FOR_REPLY');
  await claude.revoke();
  expect([await state(begun), await state(owners)]).toEqual(['PAUSED', 'WAITING_FOR_REPLY']);
  await service.resume(begun);
  expect(await state(begun)).toBe('WAITING_FOR_REPLY');
});

describe('list_conversations and get_conversation', () => {
  test('show texts only to their author, but state, times and counts of all contacts in reach', async () => {
    const [ana, ben] = [await somebody(), await somebody()];
    const [claude, other] = [await newClient(), await newClient({ contacts: [ana] })];
    const mine = created(
      await claude.call('create_conversation', {
        chat_id: ana.phone,
        objective: OBJECTIVE,
        todos: [{ text: 'Private step' }],
      }),
    );
    const owners = await fixture.create(ben.phone);
    await fixture.reaches(mine, 'WAITING_FOR_REPLY');
    await fixture.reaches(owners, 'WAITING_FOR_REPLY');

    const own = await claude.call('get_conversation', { id: mine });
    expect(own).toMatchObject({ objective: OBJECTIVE, todos_total: 1, messages_sent: 1 });
    const owners_ = await claude.call('get_conversation', { id: owners });
    expect(owners_).toMatchObject({ created_by_you: false, todos_total: 2, name: ben.name });
    expect(JSON.stringify(owners_)).not.toMatch(/quote|Agree|objective|"todos"/);

    const seen = await other.call('list_conversations', {});
    expect(seen.conversations).toMatchObject([{ id: mine, created_by_you: false }]);
    expect(JSON.stringify(seen)).not.toMatch(/tea|Private step/);
    await expect(other.call('get_conversation', { id: owners })).rejects.toThrow('may see');
    const done = await claude.call('list_conversations', { state: 'COMPLETED' });
    expect(done.conversations).toEqual([]);
  });

  test('returns a transcript only with a read grant, records the read, and omits system notes', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    const id = created(
      await claude.call('create_conversation', { chat_id: who.phone, objective: OBJECTIVE }),
    );
    await fixture.reaches(id, 'WAITING_FOR_REPLY');
    await fixture.reply(id, 'Thursday suits me');
    await fixture.quiet();
    await sql(
      `INSERT INTO instance_messages (account_id, instance_id, role, content) VALUES ($1, $2, 'system', 'noted')`,
      [fixture.account, id],
    );
    const reads = () => sql('SELECT chat_id FROM token_reads WHERE token_id = $1', [claude.id]);

    await claude.call('get_conversation', { id });
    expect(await reads()).toEqual([]);
    await sql('UPDATE grants SET can_read = false WHERE contact_id = $1', [who.contact]);
    const refused = claude.call('get_conversation', { id, transcript: true });
    await expect(refused).rejects.toThrow('not allowed reading here');
    await sql('UPDATE grants SET can_read = true WHERE contact_id = $1', [who.contact]);
    const { transcript } = await claude.call('get_conversation', { id, transcript: true });
    expect(transcript).toMatchObject([
      { from: 'agent', text: 'Hello' },
      { from: 'contact', text: 'Thursday suits me' },
      { from: 'agent', text: 'Hello' },
    ]);
    expect(await reads()).toEqual([{ chat_id: who.chat }]);
    const then = await claude.call('create_conversation', { chat_id: who.phone, objective: 'x' });
    expect(then.status).toBe('waiting_for_approval');
  });
});

describe('a result', () => {
  const result_schema = {
    type: 'object',
    properties: { day: { type: 'string', maxLength: 20 } },
    required: ['day'],
  };
  /** A conversation of the client that the agent has ended with this result. */
  async function ended(claude: Awaited<ReturnType<typeof newClient>>, phone: string, day: unknown) {
    const input = { chat_id: phone, objective: OBJECTIVE, result_schema };
    const id = created(await claude.call('create_conversation', input));
    await fixture.reaches(id, 'WAITING_FOR_REPLY');
    fixture.agent(() => ({ messages: [], endReason: 'Agreed.', result: { value: { day } } }));
    await fixture.reply(id, 'Thursday suits me');
    await fixture.reaches(id, 'COMPLETED');
    fixture.agent(() => ({ messages: ['Hello'] }));
    return id;
  }

  test('is returned only on request and with a read grant, and counts as reading the contact', async () => {
    verifies('CONV-RESULT-TAINT');
    const [who, claude] = [await somebody(), await newClient()];
    const id = await ended(claude, who.phone, 'Thursday');
    const reads = () => sql('SELECT chat_id FROM token_reads WHERE token_id = $1', [claude.id]);
    const before = await claude.call('get_conversation', { id });
    expect(before).toMatchObject({ state: 'COMPLETED', result_status: 'valid' });
    const listed = await claude.call('list_conversations', {});
    expect(JSON.stringify([before, listed])).not.toContain('Thursday');
    expect(await reads()).toEqual([]);

    await sql('UPDATE grants SET can_read = false WHERE contact_id = $1', [who.contact]);
    const refused = claude.call('get_conversation', { id, result: true });
    await expect(refused).rejects.toThrow('not allowed reading here');
    await sql('UPDATE grants SET can_read = true WHERE contact_id = $1', [who.contact]);
    expect(await claude.call('get_conversation', { id, result: true })).toMatchObject({
      result: { day: 'Thursday' },
      result_reason: null,
      result_from_contact: true,
    });
    expect(await reads()).toEqual([{ chat_id: who.chat }]);
    const then = await claude.call('create_conversation', { chat_id: who.phone, objective: 'x' });
    expect(then.status).toBe('waiting_for_approval');
  });

  test('that does not match is null with the reason, whatever the agent gave', async () => {
    const [who, claude] = [await somebody(), await newClient()];
    const id = await ended(claude, who.phone, ['Thursday']);
    expect(await claude.call('get_conversation', { id, result: true })).toMatchObject({
      result_status: 'invalid',
      result: null,
      result_reason:
        "The agent's result does not match the schema: /day must be of the type string.",
    });
  });

  test('is confirmed with its schema, and a schema outside the subset is refused', async () => {
    verifies('CONV-RESULT-SCHEMA');
    const [who, claude] = [await somebody(), await newClient({ confirm: true })];
    const asked: string[] = [];
    const input = { chat_id: who.phone, objective: OBJECTIVE };
    const says = { says: 'yes', asked } as const;
    await claude.call('create_conversation', { ...input, result_schema }, says);
    expect(asked[0]).toContain(`Result: ${JSON.stringify(result_schema)}`);
    const bad = { type: 'object', properties: { day: { type: 'string', pattern: '(a+)+' } } };
    const refused = claude.call('create_conversation', { ...input, result_schema: bad }, says);
    await expect(refused).rejects.toThrow('result_schema.properties.day.pattern');
  });
});

describe('control_conversation', () => {
  const running = async (phone: string) => {
    const id = await fixture.create(phone);
    await fixture.reaches(id, 'WAITING_FOR_REPLY');
    return id;
  };

  test('pauses at once, and lets the client that paused resume', async () => {
    const [who, claude, other] = [await somebody(), await newClient(), await newClient()];
    const id = await running(who.phone);
    expect(await claude.call('control_conversation', { id, action: 'pause' })).toEqual({
      id,
      state: 'PAUSED',
    });
    const resume = (by: typeof claude) => by.call('control_conversation', { id, action: 'resume' });
    await expect(resume(other)).rejects.toThrow('resume only what it paused itself');
    expect((await resume(claude)).state).toBe('WAITING_FOR_REPLY');
    expect(await ledger(claude.actor)).toEqual([
      { action: 'pause_conversation', outcome: 'allow', reason: 'narrowing' },
      { action: 'resume_conversation', outcome: 'allow', reason: 'token_scope' },
    ]);
    expect(await ledger(other.actor)).toEqual([
      { action: 'resume_conversation', outcome: 'deny', reason: 'paused_by_another' },
    ]);
  });

  test('lets only the owner resume what the owner paused, took over or is asked about', async () => {
    const claude = await newClient();
    const refused = async (id: string) => {
      const asking = claude.call('control_conversation', { id, action: 'resume' });
      await expect(asking).rejects.toThrow('Resume it yourself');
    };
    const owners = await running((await somebody()).phone);
    await claude.call('control_conversation', { id: owners, action: 'pause' });
    await service.resume(owners);
    await service.pause(owners);
    await refused(owners);

    const taken = await running((await somebody()).phone);
    await claude.call('control_conversation', { id: taken, action: 'pause' });
    await fixture.takeover(taken, 'I do this myself');
    await refused(taken);

    const asking = await running((await somebody()).phone);
    fixture.agent(() => ({ messages: [], interventionReason: 'Which day?' }));
    await fixture.reply(asking, 'When?');
    await fixture.reaches(asking, 'NEEDS_HUMAN_INTERVENTION');
    fixture.agent(() => ({ messages: ['Hello'] }));
    await refused(asking);
    await claude.call('control_conversation', { id: asking, action: 'pause' });
    await claude.call('control_conversation', { id: asking, action: 'resume' });
    expect(await state(asking)).toBe('NEEDS_HUMAN_INTERVENTION');
    await fixture.quiet();
    expect([await state(owners), await state(taken)]).toEqual(['PAUSED', 'PAUSED']);
  });

  test('cancels only conversations that the client created', async () => {
    const [who, ben, claude] = [await somebody(), await somebody(), await newClient()];
    const id = created(
      await claude.call('create_conversation', { chat_id: who.phone, objective: OBJECTIVE }),
    );
    const owners = await running(ben.phone);
    const cancel = (of: string) =>
      claude.call('control_conversation', { id: of, action: 'cancel' });
    expect((await cancel(id)).state).toBe('FAILED');
    await expect(cancel(id)).rejects.toThrow('not possible now');
    await expect(cancel(owners)).rejects.toThrow('end only what it started itself');
    expect(await state(owners)).toBe('WAITING_FOR_REPLY');
  });

  test('does not find a conversation with a contact out of reach, and cannot stop it', async () => {
    const [ana, ben] = [await somebody(), await somebody()];
    const claude = await newClient({ contacts: [ana] });
    const owners = await running(ben.phone);
    const mine = created(
      await claude.call('create_conversation', { chat_id: ana.phone, objective: OBJECTIVE }),
    );
    await fixture.reaches(mine, 'WAITING_FOR_REPLY');
    await sql('UPDATE tokens SET contacts = $2 WHERE id = $1', [claude.id, [randomUUID()]]);
    for (const id of [owners, mine]) {
      const asking = claude.call('control_conversation', { id, action: 'pause' });
      await expect(asking).rejects.toThrow('may see');
      expect(await state(id)).toBe('WAITING_FOR_REPLY');
    }
  });
});
