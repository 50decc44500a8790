// Tests that a conversation continues with all its pending work when its contact is merged with another.
import { approvalId, instanceId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { ScriptedTransport } from '@relay/testing/scripted-transport';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendAsOwner } from '../../pipeline/gate/send-as-owner.ts';
import { deadlocksIn, interpose } from '../../platform/db/testing/interpose.ts';
import { knownTwice } from '../../platform/db/testing/people.ts';
import { createConversationService } from './service.ts';

const network = new ScriptedTransport();
/** No pacing beyond one message at a time. */
const FAST = { per_minute: 6_000, per_hour: 6_000, per_day: 6_000, first_contacts_per_day: 100 };
const pacing = pacingSchema.parse(FAST);
const harness = await freshDaemonHarness(undefined, { sendsOver: { transport: network, pacing } });
const { conversations, sql } = harness;

const number = (jid: string) => `+${jid.split('@')[0]}`;
const settled = () =>
  eventually(async () => (await sql("SELECT FROM outbox WHERE state = 'pending'")).length === 0);
const outbox = async (instance: string) =>
  (
    await sql('SELECT state, failure FROM outbox WHERE instance_id = $1 ORDER BY seq', [instance])
  ).map(({ state, failure }) => failure ?? state);

describe.each(['phone', 'lid'] as const)('a merge that keeps the contact known by %s', (kept) => {
  test.each([true, false])(
    'sends the second message of a conversation after the merge (the LID has a chat: %s)',
    async (hasChat) => {
      verifies('IDENTITY-MERGE-CARRIES');
      const person = await knownTwice(harness, conversations.lease, kept);
      if (hasChat) await sendAsOwner(conversations, { to: person.lid, text: 'Earlier' });
      await settled();
      harness.agent(() => ({ messages: ['Hello', 'When do you open?'] }));
      // WhatsApp reveals the LID when it accepts the first message to the number.
      const send = network.send.bind(network);
      network.send = async (message) => {
        await send(message);
        if (message.text === 'Hello') await person.merge();
      };
      onTestFinished(() => {
        network.send = send;
      });
      const id = await harness.create(number(person.phone));
      await harness.quiet();
      await settled();
      expect(await outbox(id)).toEqual(['sent', 'sent']);
      expect(network.shown.slice(-2)).toEqual(['Hello', 'When do you open?']);
      expect(await harness.state(id)).toBe('WAITING_FOR_REPLY');
      await harness.reply(id, 'At nine');
      await harness.quiet();
      expect(await harness.lines(id)).toContain('contact: At nine');
    },
  );

  test('keeps a pending approval, which can be approved and is sent', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    const person = await knownTwice(harness, conversations.lease, kept);
    await sendAsOwner(conversations, { to: person.lid, text: 'Earlier' });
    const secret = 'KEY-4f3a-99bc-1d2e';
    harness.agent(() => ({ messages: [`The key is ${secret}`] }));
    const { id } = await harness.service.create({
      objective: `Sell the bicycle. The lock has the key ${secret}`,
      target_contact: number(person.phone),
      todos: [],
    });
    await harness.reaches(instanceId(id), 'NEEDS_HUMAN_INTERVENTION');
    const [before] = await harness.approvals.list('pending');
    await person.merge();
    const [after] = await harness.approvals.list('pending');
    const { shown: _, chat_id: __, risks: ___, ...same } = before ?? {};
    expect(after).toMatchObject(same);
    await harness.approvals.approve(approvalId(after?.id ?? ''), after?.shown);
    await settled();
    expect(await outbox(id)).toEqual(['sent']);
    expect(network.shown).toContain(`The key is ${secret}`);
    expect(await harness.state(instanceId(id))).toBe('WAITING_FOR_REPLY');
  });

  test('starts the next conversation in the queue when one ends during the merge', async () => {
    verifies('IDENTITY-MERGE-ANY-MOMENT');
    let at = 0;
    for (let seen = 1; at < seen; ) {
      at++;
      const person = await knownTwice(harness, conversations.lease, kept);
      await sendAsOwner(conversations, { to: person.lid, text: 'Earlier' });
      harness.agent(() => ({ messages: ['Hello'] }));
      const first = await harness.create(number(person.phone));
      const next = await harness.create(number(person.phone));
      await harness.quiet();
      const ending = interpose(conversations.db, at, person.merge);
      await createConversationService({ ...conversations, db: ending.db }).cancel(first);
      await ending.settled();
      await person.merge();
      ({ seen } = ending);
      await harness.quiet();
      expect({ at, state: await harness.state(next) }).toEqual({ at, state: 'WAITING_FOR_REPLY' });
    }
    expect(await deadlocksIn(harness)).toBe(0);
  });
});
