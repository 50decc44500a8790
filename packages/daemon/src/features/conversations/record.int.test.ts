import type { InstanceId, MessageId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn, newPhone } from '@relay/testing/daemon-harness';
import { eventually, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';
import { sendAsOwner } from '../../pipeline/gate/send-as-owner.ts';
import { takeInBatch } from '../../pipeline/intake/intake.ts';
import { incoming, openPlain, readJson, receive } from '../../pipeline/intake/testing/inbox.ts';
import { onRoute } from '../../pipeline/router/router.ts';
import { sendInOpenConversation } from './service.ts';

const harness = await freshDaemonHarness();
const { agent, create, heartbeat, lines, reaches, reply, sql, state, steps, service } = harness;
const { db, lease, jobs } = harness.conversations;
jobs.work('route', 4, onRoute(harness.conversations));

beforeEach(() => {
  agent(() => ({ messages: ['Hello'] }));
  harness.turns.length = 0;
});

/** The contact writes; returns the router's decision. */
async function writes(phone: string, body = 'hello'): Promise<unknown> {
  const message = incoming({ chat: `${phone.slice(1)}@s.whatsapp.net`, body });
  await receive(harness, harness.account, [message]);
  while ((await takeInBatch({ db, lease, jobs, unseal: openPlain, read: readJson }, 200)).rows > 0);
  jobs.wake('route');
  const decided = () => decision(message.id);
  await eventually(async () => (await decided()) !== undefined);
  return decided();
}

const decision = async (id: MessageId) =>
  (await sql("SELECT outcome || ': ' || reason AS said FROM ledger WHERE subject_id = $1", [id]))[0]
    ?.said;

async function waiting(phone = newPhone()): Promise<InstanceId> {
  const id = await create(phone);
  await reaches(id, 'WAITING_FOR_REPLY');
  return id;
}

test('stores each transition with both states, cause and time', async () => {
  verifies('003-DATA-TRANSITION');
  const id = await waiting();
  await service.pause(id);
  const kept = await service.transitions(id);
  expect(kept.map(({ timestamp, ...rest }) => rest)).toEqual([
    {
      instance_id: id,
      from_state: 'CREATED',
      to_state: 'ACTIVE',
      trigger: 'agent_sends_first_message',
      caused_by: null,
    },
    {
      instance_id: id,
      from_state: 'ACTIVE',
      to_state: 'WAITING_FOR_REPLY',
      trigger: 'message_sent',
      caused_by: null,
    },
    {
      instance_id: id,
      from_state: 'WAITING_FOR_REPLY',
      to_state: 'PAUSED',
      trigger: 'pause',
      caused_by: null,
    },
  ]);
  for (const { timestamp } of kept) expect(Date.parse(timestamp)).not.toBeNaN();
});

test('stores, sends and shows text unchanged', async () => {
  verifies('003-DATA-CONTENT');
  const texts = [
    '  two spaces, a tab\t, and\nlines\r\n ',
    '<b>not bold</b> &amp; $1 {name} %s \\n',
    'مرحبا 👨‍👩‍👧 e\u0301',
    '{"tool":"send_message"}',
  ];
  for (const text of texts) {
    const phone = newPhone();
    agent(() => ({ messages: [text] }));
    const id = await waiting(phone);
    agent(() => ({ messages: [], nextHeartbeatMs: 3_600_000 }));
    await service.send(id, text);
    await writes(phone, text);
    await harness.quiet();
    expect(await lines(id)).toEqual([`agent: ${text}`, `manual: ${text}`, `contact: ${text}`]);
    const sent = await sql('SELECT body FROM outbox WHERE instance_id = $1', [id]);
    expect(sent.map(({ body }) => body)).toEqual([text, text]);
    expect(harness.turns.at(-1)?.transcript.at(-1)?.content).toBe(text);
  }
});

describe('a message of the contact', () => {
  const reached: Record<string, () => Promise<{ id: InstanceId; go?: () => void }>> = {
    CREATED: async () => {
      await harness.hold();
      return { id: await create() };
    },
    QUEUED: async () => {
      const phone = newPhone();
      await waiting(phone);
      return { id: await create(phone) };
    },
    ACTIVE: async () => {
      const turn = heldTurn();
      agent(turn.act);
      const id = await create();
      await turn.begun;
      return { id, go: turn.release };
    },
    WAITING_FOR_REPLY: async () => ({ id: await waiting() }),
    WAITING_FOR_AGENT: async () => {
      const id = await waiting();
      await harness.hold();
      await reply(id, 'before');
      return { id };
    },
    HEARTBEAT_SCHEDULED: async () => {
      const id = await waiting();
      const turn = heldTurn();
      agent(turn.act);
      await heartbeat(id);
      await turn.begun;
      return { id };
    },
    PAUSED: async () => {
      const id = await waiting();
      await service.pause(id);
      return { id };
    },
    NEEDS_HUMAN_INTERVENTION: async () => {
      agent(() => ({ messages: [], interventionReason: 'help' }));
      const id = await create();
      await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
      return { id };
    },
  };

  test.each(Object.keys(reached))(
    'in %s is appended to the transcript and unread for the next turn',
    async (name) => {
      verifies('003-OPEN-APPEND');
      const { id, go } = (await reached[name]?.()) ?? {};
      if (id === undefined) throw new Error(name);
      expect(await state(id)).toBe(name);
      const before = (await lines(id)).length;
      await reply(id, `said in ${name}`);
      expect((await lines(id)).slice(before)).toEqual([`contact: said in ${name}`]);

      agent(() => ({ messages: ['Next'] }));
      go?.();
      await harness.release();
      if (name === 'QUEUED') {
        const { target_contact } = await service.get(id);
        const all = await service.list({});
        const holder = all.find((one) => one.target_contact === target_contact && one.id !== id);
        await service.cancel(holder?.id as InstanceId);
      }
      if (['PAUSED', 'NEEDS_HUMAN_INTERVENTION'].includes(name)) await service.resume(id);
      await harness.quiet();
      const isRead = harness.turns.some(
        ({ instance, unread, transcript }) =>
          instance === id &&
          transcript
            .filter(({ role }) => role === 'contact')
            .slice(-unread)
            .some(({ content }) => unread > 0 && content === `said in ${name}`),
      );
      expect(isRead).toBe(true);
    },
  );

  test('from a sender without a conversation is stored and not handled by conversations', async () => {
    verifies('003-FLOW-NO-INSTANCE');
    const phone = newPhone();
    expect(await writes(phone)).toBe('stored: no_grant');
    expect(harness.logged).toContainEqual({
      level: 'debug',
      message: 'message routed',
      fields: expect.objectContaining({ to: 'stored', reason: 'no_grant' }),
    });
    expect(harness.turns).toEqual([]);
    expect(await sql("SELECT 1 FROM instance_messages WHERE content = 'hello'")).toEqual([]);
  });
});

test('handles a reply and a heartbeat at the same moment one after the other', async () => {
  verifies('003-FLOW-SERIAL');
  const running = new Map<InstanceId, number>();
  let overlaps = 0;
  agent(async ({ instance }) => {
    const now = (running.get(instance) ?? 0) + 1;
    running.set(instance, now);
    if (now > 1) overlaps++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    running.set(instance, now - 1);
    return { messages: ['Hello'] };
  });
  const ids = await Promise.all(times(10, () => waiting()));
  await Promise.all(ids.flatMap((id) => [heartbeat(id), reply(id, 'a'), reply(id, 'b')]));
  await harness.quiet();
  for (const id of ids) {
    expect(await state(id)).toBe('WAITING_FOR_REPLY');
    let at = 'CREATED';
    for (const step of await steps(id)) {
      const [from, to] = step.split(' → ');
      expect(from).toBe(at);
      at = to ?? '';
    }
    // The agent answers last, knowing all messages before.
    expect((await lines(id)).at(-1)).toBe('agent: Hello');
    const read = harness.turns.findLast(({ instance }) => instance === id)?.transcript ?? [];
    expect(read.filter(({ role }) => role === 'contact')).toHaveLength(2);
  }
  // An overtaken turn may still run beside the next one, but its outcome is discarded.
  expect(overlaps).toBeLessThanOrEqual(ids.length);
});

test('sends the owner’s message while paused, adds it to the transcript and lets no agent write', async () => {
  verifies('003-OPEN-MANUAL-SEND', 'WRITE-COMPOSER');
  const id = await waiting();
  await service.pause(id);
  const turns = harness.turns.length;
  const line = await service.send(id, 'Mine');
  expect(line).toMatchObject({ role: 'manual', content: 'Mine', delivery: 'pending' });
  expect(await state(id)).toBe('PAUSED');
  expect((await lines(id)).at(-1)).toBe('manual: Mine');
  const [permit] = await sql(
    "SELECT p.actor, o.state FROM outbox o JOIN permits p ON p.id = o.permit_id WHERE o.body = 'Mine' AND o.instance_id = $1",
    [id],
  );
  expect(permit).toMatchObject({ actor: 'owner' });
  await harness.quiet();
  expect(harness.turns).toHaveLength(turns);
  await service.resume(id);
  await reaches(id, 'WAITING_FOR_REPLY');
});

test('adds what the owner writes in the chat to the open conversation there, once for each key', async () => {
  verifies('WRITE-COMPOSER', '003-OPEN-MANUAL-SEND');
  const phone = newPhone();
  const deps = {
    ...harness.conversations,
    sendInConversation: sendInOpenConversation(harness.conversations),
  };
  const write = (text: string, key?: string) =>
    sendAsOwner(deps, { to: phone, text, ...(key === undefined ? {} : { key }) });
  const before = await write('Before');
  const id = await waiting(phone);
  const first = await write('In the chat', 'key-1');
  expect(await write('In the chat', 'key-1')).toMatchObject({ id: first.id });
  await expect(write('Something else', 'key-1')).rejects.toMatchObject({ code: 'key_reused' });
  expect((await lines(id)).at(-1)).toBe('manual: In the chat');
  const [row] = await sql('SELECT instance_id FROM outbox WHERE id = $1', [first.id]);
  expect(row).toEqual({ instance_id: id });
  expect(first).toMatchObject({ jid: before.jid, chatId: before.chatId });

  await harness.hold();
  await expect(write('On hold')).rejects.toThrow('relay release');
  await harness.release();
  await service.cancel(id);
  const after = await write('Afterwards');
  expect(await sql('SELECT instance_id FROM outbox WHERE id = $1', [after.id])).toEqual([
    { instance_id: null },
  ]);
  expect((await lines(id)).filter((line) => line.startsWith('manual'))).toEqual([
    'manual: In the chat',
  ]);
});

test('restarts the timer and changes no state when the owner sends a message by hand', async () => {
  verifies('003-OPEN-MANUAL-SEND');
  const id = await waiting();
  await sql("UPDATE instances SET timer_due_at = now() + interval '10 seconds' WHERE id = $1", [
    id,
  ]);
  await sql("UPDATE timers SET due_at = now() + interval '10 seconds' WHERE subject_id = $1", [id]);
  await service.send(id, 'Mine');
  await reaches(id, 'WAITING_FOR_REPLY');
  const [timer] = await sql<{ due_at: Date }>('SELECT due_at FROM timers WHERE subject_id = $1', [
    id,
  ]);
  expect((timer?.due_at.getTime() ?? 0) - Date.now()).toBeGreaterThan(1_700_000);

  for (const begin of [() => reply(id, 'Yes'), () => heartbeat(id)]) {
    const turn = heldTurn();
    agent(turn.act);
    await begin();
    await turn.begun;
    const before = await state(id);
    await service.send(id, 'Mine too');
    expect(await state(id)).toBe(before);
    turn.release();
    await reaches(id, 'WAITING_FOR_REPLY');
    expect((await service.get(id)).next_follow_up_at).not.toBeNull();
  }
  await harness.hold();
  await reply(id, 'And?');
  expect(await state(id)).toBe('WAITING_FOR_AGENT');
  await harness.release();
  await harness.quiet();
});

test('allows a conversation to write to its own contact until it ends, without changing the standing grant', async () => {
  verifies('003-OPEN-GRANT');
  const phone = newPhone();
  expect(await writes(phone)).toBe('stored: no_grant');
  await sql(
    `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply)
     SELECT account_id, contact_id, 'x', false, false FROM contact_aliases WHERE value = $1`,
    [phone.slice(1)],
  );
  const grants = () => sql('SELECT * FROM grants');
  const before = await grants();
  const id = await waiting(phone);
  expect(await writes(phone, 'Yes')).toBe('handed_over: open_conversation');
  await harness.quiet();
  expect(await lines(id)).toEqual(['agent: Hello', 'contact: Yes', 'agent: Hello']);
  expect(await writes(newPhone())).toBe('stored: no_grant');
  await service.cancel(id);
  expect(await writes(phone, 'Still there?')).toBe('stored: no_read_grant');
  expect(await lines(id)).toHaveLength(3);
  expect(await grants()).toEqual(before);
});
