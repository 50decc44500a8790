// What is told to a webhook, to whom, and with how many words. How it is delivered when a receiver is away is
// in deliver.int.test.ts.
import { eventually } from '@relay/testing/store';
import { freshWorld } from '@relay/testing/world';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openBed } from './testing/bed.ts';
import { openReceiver, verified } from './testing/receiver.ts';

const world = await freshWorld();
const { sql } = world;
const receiver = await openReceiver();
afterAll(() => receiver.close());
const bed = openBed(world, { allow: [receiver.place] });
const stop = await bed.webhooks.start();
afterAll(stop);
const { add, says, quiet, verbs } = bed;

beforeEach(async () => {
  await quiet();
  await sql('DELETE FROM webhooks');
  receiver.received.length = 0;
});

const ANA = '+49151000111';

test('a message that comes in is told once, signed, without a word of it', async () => {
  const { secret } = await add({ url: receiver.url });
  const { chat, contact, id } = await says(ANA, 'the canary sings');
  await quiet();
  expect(receiver.bodies()).toMatchObject([
    {
      type: 'message.received',
      data: { message_id: id, chat_id: chat, contact_id: contact, direction: 'in', kind: 'text' },
    },
  ]);
  const [first] = receiver.received;
  expect(first?.body).not.toMatch(/canary|49151/);
  if (first) expect(verified(secret, first)).toEqual(receiver.bodies()[0]);
  expect(await bed.deliveries()).toEqual([{ state: 'delivered', attempts: 1, failure: null }]);
});
