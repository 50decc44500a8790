// Tests which contacts a conversation can be created with: numbers on WhatsApp, and new contacts beyond the daily
// limit.
import { instanceId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { ScriptedTransport } from '@relay/testing/scripted-transport';
import { verifies } from '@relay/testing/verifies';
import { afterAll, afterEach, expect, test } from 'vitest';

const network = new ScriptedTransport({ looksUp: true });
const harness = await freshDaemonHarness(afterAll, { network });
const { reaches, settings, sql, service } = harness;
const everybody = network.registered;
afterEach(() => {
  network.registered = everybody;
  network.lookedUp.length = 0;
});

const ask = (target_contact: string) => ({ objective: 'Get a quote', target_contact, todos: [] });

test('refuses a number that is not on WhatsApp, with or without a key, and accepts it once it is registered', async () => {
  verifies('003-FIRST-REGISTERED');
  const phone = newPhone();
  network.registered = async () => null;
  for (const key of [undefined, 'key']) {
    await expect(service.create(ask(phone), key)).rejects.toMatchObject({
      code: 'not_on_whatsapp',
    });
  }
  expect(await sql('SELECT 1 FROM instances WHERE target_contact = $1', [phone])).toEqual([]);
  network.registered = everybody;
  await sql("UPDATE contact_aliases SET asked_at = now() - interval '1 h' WHERE NOT is_registered");
  const { id } = await service.create(ask(phone), 'key');
  await reaches(instanceId(id), 'WAITING_FOR_REPLY');
  expect((await service.create(ask(phone), 'key')).id).toBe(id);
});

test('creates a conversation when WhatsApp does not answer the lookup, and asks nothing while disconnected', async () => {
  network.registered = async () => {
    throw new Error('silence');
  };
  const { id } = await service.create(ask(newPhone()));
  await reaches(instanceId(id), 'WAITING_FOR_REPLY');
  network.become({ state: 'reconnecting' });
  network.lookedUp.length = 0;
  const second = await service.create(ask(newPhone()));
  network.become({ state: 'connected' });
  await reaches(instanceId(second.id), 'WAITING_FOR_REPLY');
  expect(network.lookedUp).toEqual([]);
});

test('creates a conversation beyond the daily limit of first contacts and says when its message can be sent', async () => {
  verifies('003-FIRST-QUEUED');
  await harness.acknowledges(false);
  Object.assign(settings.pacing, pacingSchema.parse({ first_contacts_per_day: 1 }));
  await sql("UPDATE outbox SET state = 'sent', attempted_at = now(), first_contact = true");
  const { id, state } = await service.create(ask(newPhone()));
  expect(state).toBe('CREATED');
  await reaches(instanceId(id), 'WAITING_FOR_REPLY');
  const { reason } = await service.get(instanceId(id));
  expect(reason).toMatch(/^The first message is queued\. .* It can be sent from \d{4}-.* UTC\.$/);
  const [line] = await service.transcript(instanceId(id));
  expect(line).toMatchObject({ delivery: 'pending' });
  const hours = (Date.parse(line?.queued_until ?? '') - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  await sql(
    "UPDATE outbox SET attempted_at = attempted_at - interval '1 day' WHERE state = 'sent'",
  );
  expect((await service.get(instanceId(id))).reason).not.toContain('can be sent from');
  expect((await service.transcript(instanceId(id)))[0]).not.toHaveProperty('queued_until');
});
