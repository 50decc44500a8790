import { pacingSchema } from '@relay/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import { readSendingHealth } from './sending-health.ts';
import { freshPost } from './testing/post.ts';

const PACING = pacingSchema.parse({ per_day: 2 });

test('changes color with WhatsApp’s answers and the state of messages, each with a sentence', async () => {
  const { send, start, network, becomes, sql, database, account, kill } =
    await freshPost(onTestFinished);
  const health = () => readSendingHealth(database.kysely, account, PACING, new Date());
  start();
  expect(await health()).toMatchObject({ light: 'green', sent_today: 0, frozen_until: null });

  await send('one');
  await send('two');
  await becomes('sent', 'sent');
  expect(await health()).toMatchObject({
    light: 'amber',
    code: 'day_limit',
    sent_today: 2,
    first_contacts_today: 1,
    sentence: expect.stringContaining('is reached'),
  });

  network.answer = () => ({ refuse: 479 });
  await send('three');
  await becomes('sent', 'sent', 'failed');
  expect(await health()).toMatchObject({ light: 'amber', failed: 1 });

  network.answer = () => 'left and silent';
  await send('four');
  await expect.poll(() => network.asked.length).toBe(4);
  await kill();
  network.answer = () => ({ refuse: 429 });
  start();
  await becomes('sent', 'sent', 'failed', 'unknown');
  expect(await health()).toMatchObject({ light: 'amber', code: 'unknown', unknown: 1 });

  await send('five', { to: '+49 151 000002' });
  await expect.poll(async () => (await health()).light).toBe('red');
  expect((await health()).sentence).toMatch(/Sending is paused until/);
  expect((await health()).frozen_until).not.toBeNull();
  await sql("UPDATE freezes SET cause = 'stranger_refused'");
  expect(await health()).toMatchObject({ light: 'amber', waiting: 1 });
});

test('counts several messages that are sent together to a new contact as one first contact', async () => {
  const { send, start, becomes, database, account } = await freshPost(onTestFinished);
  await send('one');
  await send('two');
  await send('three', { to: '+49 151 000002' });
  start();
  await becomes('sent', 'sent', 'sent');
  const { first_contacts_today } = await readSendingHealth(
    database.kysely,
    account,
    PACING,
    new Date(),
  );
  expect(first_contacts_today).toBe(2);
});

test('counts no message as failed that Relay itself withdrew before it was sent', async () => {
  const { send, start, becomes, sql, database, account } = await freshPost(onTestFinished);
  await send('one');
  await sql('UPDATE permits SET revoked_at = now()');
  start();
  await becomes('failed');
  expect(await readSendingHealth(database.kysely, account, PACING, new Date())).toMatchObject({
    light: 'green',
    failed: 0,
  });
});
