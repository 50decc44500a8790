import { setTimeout as sleep } from 'node:timers/promises';
import { deliverySchema, pacingSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { recheckPermits } from '@relay/daemon/pipeline/gate/recheck';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { ScriptedTransport } from '@relay/testing/scripted-transport';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendAsOwner } from '../gate/send-as-owner.ts';
import { Deliverer } from './deliverer.ts';
import { wakeConversations } from './delivery-updates.ts';

const harness = await freshDaemonHarness();
await harness.acknowledges(false);
const { account, conversations, create, reaches, sql, service } = harness;
const pacing = pacingSchema.parse({ enabled: false });

/** Its clock stands still except for `later`. */
function delivering(network: ScriptedTransport) {
  const clock = { at: Date.now() };
  const deliverer = new Deliverer({
    db: conversations.db,
    lease: conversations.lease,
    transport: network,
    builder: network.builder(account),
    pacing,
    delivery: deliverySchema.parse({ grace_ms: 50, answer_within_ms: 200 }),
    recheck: recheckPermits(account, { pacing }),
    hooks: {
      recordSent: async () => {},
      ...wakeConversations(harness.jobs, account),
    },
    log: silentLog,
    onChange: () => {},
    now: () => new Date(clock.at),
  });
  const unsubscribe = network.subscribe((event) => deliverer.onTransportEvent(event));
  onTestFinished(async () => {
    unsubscribe();
    await deliverer.stop(0);
    await sql('DELETE FROM outbox');
  });
  deliverer.start();
  return {
    later: (ms: number) => {
      clock.at += ms;
      deliverer.wake();
    },
  };
}

const rowOf = async (id: string) =>
  (
    await sql(
      `SELECT state, in_doubt, attempts, extract(epoch FROM not_before - attempted_at)::float AS waits
       FROM outbox WHERE instance_id = $1`,
      [id],
    )
  )[0];

test('retries an unsent message three times with doubled waits and then fails its conversation', async () => {
  verifies('003-BOUND-SEND');
  const network = new ScriptedTransport();
  network.answer = () => 'cut';
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const { later } = delivering(network);
  for (const [tries, wait] of [5, 10, 20].entries()) {
    await eventually(async () => {
      const row = await rowOf(id);
      return row?.attempts === tries + 1 && row.in_doubt === false;
    });
    expect(await harness.state(id)).toBe('WAITING_FOR_REPLY');
    const waits = (await rowOf(id))?.waits;
    expect(waits).toBeGreaterThanOrEqual(wait);
    expect(waits).toBeLessThan(2 * wait);
    later(wait * 500);
    await sleep(100);
    expect(network.asked).toHaveLength(tries + 1);
    later(wait * 1_000);
  }
  await reaches(id, 'FAILED');
  expect(network.asked).toHaveLength(4);
  expect(network.wire).toEqual([]);
  expect((await service.get(id)).failure_reason).toMatch(/could not be reached/);

  // A message that may have been sent is offered again only under its own id, once it has been reconciled.
  network.answer = () => 'left and cut';
  const other = await create();
  await reaches(other, 'WAITING_FOR_REPLY');
  later(0);
  await eventually(async () => (await rowOf(other))?.state === 'unknown');
  const offers = network.asked.length;
  const [left] = network.wire;
  if (left === undefined) throw new Error('nothing left');
  network.receipt(left.id, 'delivered');
  await eventually(async () => (await rowOf(other))?.state === 'delivered');
  later(60_000);
  await harness.quiet();
  expect(network.asked).toHaveLength(offers);
  expect(await harness.state(other)).toBe('WAITING_FOR_REPLY');
});

test('fails a conversation with the sentence of a permanent refusal', async () => {
  const network = new ScriptedTransport();
  network.answer = () => ({ refuse: 404 });
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  delivering(network);
  await reaches(id, 'FAILED');
  const [row] = await sql('SELECT failure FROM outbox WHERE instance_id = $1', [id]);
  expect((await service.get(id)).failure_reason).toBe(row?.failure);
  expect(await harness.lines(id)).toEqual(['agent: Hello', `system: Not sent: ${row?.failure}`]);
});

test('fails a conversation whose message lost its permit', async () => {
  const network = new ScriptedTransport();
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await sql('UPDATE permits SET revoked_at = now() WHERE instance_id = $1', [id]);
  delivering(network);
  await reaches(id, 'FAILED');
  expect((await service.get(id)).failure_reason).toMatch(/revoked/);
  expect(network.wire).toEqual([]);
});

test('does not fail a conversation whose message was stopped on purpose', async () => {
  const network = new ScriptedTransport();
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await harness.takeover(id, 'Let me ask myself');
  await service.resume(id);
  delivering(network);
  await eventually(async () => (await rowOf(id))?.state === 'failed');
  await harness.quiet();
  expect(await harness.state(id)).toBe('WAITING_FOR_REPLY');
  expect(network.asked).toEqual([]);
});

describe('while a conversation is paused before its message was sent', () => {
  test.each(['conversation', 'chat'])(
    'sends what the owner writes in the %s at once, and the agent’s message when it is resumed',
    async (where) => {
      verifies('WRITE-COMPOSER');
      const network = new ScriptedTransport();
      const phone = newPhone();
      const id = await create(phone);
      await reaches(id, 'WAITING_FOR_REPLY');
      await service.pause(id);
      delivering(network);
      if (where === 'chat') await sendAsOwner(conversations, { to: phone, text: 'Mine' });
      else await service.send(id, 'Mine');
      const sent = () => network.wire.map(({ text }) => text);
      await eventually(async () => sent().length > 0);
      expect(sent()).toEqual(['Mine']);
      await service.resume(id);
      await eventually(async () => sent().length > 1);
      expect(sent()).toEqual(['Mine', 'Hello']);
    },
  );

  test('says when the limit on first contacts allows the owner’s message, not the agent’s', async () => {
    verifies('WRITE-COMPOSER');
    const { pacing } = harness.settings;
    Object.assign(pacing, { enabled: true, first_contacts_per_day: 1 });
    onTestFinished(async () => {
      Object.assign(pacing, { enabled: false });
      await sql('DELETE FROM outbox');
    });
    const earlier = await create();
    await reaches(earlier, 'WAITING_FOR_REPLY');
    await sql(
      `UPDATE outbox SET state = 'sent', attempts = 1, attempted_at = now(), first_contact = true WHERE instance_id = $1`,
      [earlier],
    );
    const id = await create();
    await reaches(id, 'WAITING_FOR_REPLY');
    await service.pause(id);
    await service.send(id, 'Mine');
    const lines = await service.transcript(id);
    expect(lines.map(({ content, queued_until }) => [content, queued_until !== undefined])).toEqual(
      [
        ['Hello', false],
        ['Mine', true],
      ],
    );
  });
});
