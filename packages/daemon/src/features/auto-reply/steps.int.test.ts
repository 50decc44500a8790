// Tests the eleven steps of seed 000 from the router on, with a scripted model.
import { RelayError } from '@relay/contract/errors';
import { times } from '@relay/testing/store';
import { expect, test, vi } from 'vitest';
import { MAY, openAutoReplyFixture } from './testing/fixture.ts';

const fixture = await openAutoReplyFixture();

test('answers a contact with read and reply grants through the gate and stores both messages', async () => {
  const mom = await fixture.contact();
  const message = await fixture.writes(mom, 'Are you coming?', new Date('2026-02-21T10:00:00Z'));
  await fixture.rest();
  expect(await fixture.said(mom)).toEqual([
    'user: Are you coming?',
    'assistant: Re: Are you coming?',
  ]);
  const [user] = await fixture.sql('SELECT at, message_id FROM session_messages WHERE role = $1', [
    'user',
  ]);
  expect(user).toEqual({ at: new Date('2026-02-21T10:00:00Z'), message_id: message });
});

test('titles the session, links it to the grant, reuses it, and creates it again after deletion', async () => {
  const mom = await fixture.contact({ name: 'Mom' });
  const chatId = async () =>
    (await fixture.sql('SELECT session_id FROM grants WHERE contact_id = $1', [mom.contact]))[0];
  await fixture.writes(mom, 'one');
  await fixture.rest();
  const first = await fixture.session(mom);
  expect(first).toMatchObject({ title: 'WhatsApp: Mom' });
  expect(await chatId()).toEqual({ session_id: first?.id });
  await fixture.writes(mom, 'two');
  await fixture.rest();
  expect((await fixture.session(mom))?.id).toBe(first?.id);
  await fixture.sql('DELETE FROM sessions WHERE id = $1', [first?.id]);
  await fixture.writes(mom, 'three');
  await fixture.rest();
  const anew = await fixture.session(mom);
  expect(anew?.id).not.toBe(first?.id);
  expect(await chatId()).toEqual({ session_id: anew?.id });
  expect(await fixture.said(mom)).toEqual(['user: three', 'assistant: Re: three']);
  expect(await fixture.sent(mom)).toEqual(['Re: one', 'Re: two', 'Re: three']);
});

test('stores messages of a read-only contact without a model call', async () => {
  const mom = await fixture.contact({ grant: { ...MAY, canReply: false } });
  const asked = fixture.asked.length;
  const message = await fixture.writes(mom, 'hello');
  await fixture.rest();
  expect(fixture.asked).toHaveLength(asked);
  expect(await fixture.said(mom)).toEqual(['user: hello']);
  expect(await fixture.decided(message)).toEqual(['unanswered: read_only']);
});

test('stores but does not send answers to read-only contacts when the settings ask for them', async () => {
  const { auto_reply: before } = fixture.settings;
  fixture.settings.auto_reply = { ...before, compose_for_read_only: true };
  const mom = await fixture.contact({ grant: { ...MAY, canReply: false } });
  const message = await fixture.writes(mom, 'hello');
  await fixture.rest();
  fixture.settings.auto_reply = before;
  expect(await fixture.said(mom)).toEqual(['user: hello', 'assistant: Re: hello']);
  expect(await fixture.sent(mom)).toEqual([]);
  expect(await fixture.decided(message)).toEqual(['unanswered: read_only']);
});

test('sends nothing when the model says nothing', async () => {
  const mom = await fixture.contact();
  fixture.model(() => '  ');
  const message = await fixture.writes(mom, 'hello');
  await fixture.rest();
  fixture.model(({ lines }) => `Re: ${lines.at(-1)?.content}`);
  expect(await fixture.said(mom)).toEqual(['user: hello']);
  expect(await fixture.sent(mom)).toEqual([]);
  expect(await fixture.decided(message)).toEqual(['unanswered: nothing_said']);
});

test('gives the model the last 20 lines, each answer after its message, and stores all lines', async () => {
  const mom = await fixture.contact();
  for (const n of times(12, (i) => i)) {
    await fixture.writes(mom, `line ${n}`, new Date(Date.now() - (12 - n) * 60_000));
    await fixture.rest();
  }
  const last = fixture.asked.at(-1)?.lines ?? [];
  expect(last.map(({ from, content }) => `${from}: ${content}`)).toEqual([
    'agent: Re: line 1',
    ...times(9, (n) => [`contact: line ${n + 2}`, `agent: Re: line ${n + 2}`]).flat(),
    'contact: line 11',
  ]);
  expect(await fixture.said(mom)).toHaveLength(24);
});

test('answers messages that arrive together once each, in order', async () => {
  const mom = await fixture.contact();
  await Promise.all([fixture.writes(mom, 'a')]);
  for (const text of ['b', 'c', 'd']) await fixture.writes(mom, text);
  await fixture.rest();
  expect(await fixture.sent(mom)).toEqual(['Re: a', 'Re: b', 'Re: c', 'Re: d']);
  const seen = fixture.asked
    .slice(-4)
    .map(({ lines }) => lines.map(({ content }) => content).join());
  expect(seen).toEqual(['a', 'a,Re: a,b', 'a,Re: a,b,Re: b,c', 'a,Re: a,b,Re: b,c,Re: c,d']);
});

test('does not delay other contacts during a slow answer, and runs one job per session', async () => {
  const [slow, quick] = [await fixture.contact({ name: 'Slow' }), await fixture.contact()];
  const gate = Promise.withResolvers<void>();
  fixture.model(async ({ sender, lines }) => {
    if (sender === 'Slow') await gate.promise;
    return `Re: ${lines.at(-1)?.content}`;
  });
  for (const text of ['1', '2', '3']) await fixture.writes(slow, text);
  const { id } = (await fixture.session(slow)) ?? {};
  const jobs = () =>
    fixture.sql(
      "SELECT 1 FROM relay_jobs.job WHERE state < 'completed' AND singleton_key LIKE '%' || $1",
      [id],
    );
  expect(await jobs()).toHaveLength(1);
  await fixture.writes(quick, 'x');
  await expect.poll(() => fixture.sent(quick)).toEqual(['Re: x']);
  expect(await fixture.sent(slow)).toEqual([]);
  gate.resolve();
  await fixture.rest();
  expect(await fixture.sent(slow)).toEqual(['Re: 1', 'Re: 2', 'Re: 3']);
});

test('alternates between contacts however much each writes', async () => {
  const names = ['A', 'B'];
  const people = [];
  for (const name of names) people.push(await fixture.contact({ name }));
  // Each answer is held until the other contact's answer of the same round has begun. A contact who had to wait for all
  // answers of the other would wait forever.
  const asked = new Map(names.map((name) => [name, 0]));
  fixture.model(async ({ sender, lines }) => {
    const round = (asked.get(sender) ?? 0) + 1;
    asked.set(sender, round);
    await vi.waitUntil(() => Math.min(...asked.values()) >= round, { timeout: 20_000 });
    return `Re: ${lines.at(-1)?.content}`;
  });
  for (const person of people)
    for (const n of times(3, (i) => i)) await fixture.writes(person, `${n}`);
  await fixture.rest();
  for (const person of people)
    expect(await fixture.sent(person)).toEqual(['Re: 0', 'Re: 1', 'Re: 2']);
});

test('logs a model failure, sends nothing and continues with the queue', async () => {
  const mom = await fixture.contact();
  let tries = 0;
  fixture.model(({ lines }) => {
    if (lines.at(-1)?.content !== 'bad') return 'fine';
    tries++;
    throw new RelayError('model_refused', { provider: 'x', status: 400 });
  });
  const bad = await fixture.writes(mom, 'bad');
  await fixture.writes(mom, 'good');
  await fixture.rest();
  expect(tries).toBe(1);
  expect(await fixture.said(mom)).toEqual(['user: bad', 'user: good', 'assistant: fine']);
  expect(await fixture.sent(mom)).toEqual(['fine']);
  expect(await fixture.decided(bad)).toEqual(['unanswered: model_failed']);
  expect(fixture.logged).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'answer failed' }),
  );
});

test('retries a temporary failure once', async () => {
  const mom = await fixture.contact();
  let tries = 0;
  fixture.model(() => {
    if (++tries === 1) throw new RelayError('model_busy', { provider: 'x' });
    return 'at last';
  });
  await fixture.writes(mom, 'hello');
  await fixture.rest();
  expect(await fixture.said(mom)).toEqual(['user: hello', 'assistant: at last']);
  expect(await fixture.sent(mom)).toEqual(['at last']);
});

test('stores partial text of a failed answer without sending it and tells the model next time', async () => {
  const mom = await fixture.contact();
  fixture.model((_context, hooks) => {
    hooks.onText('I think that');
    throw new RelayError('model_refused', { provider: 'x', status: 400 });
  });
  await fixture.writes(mom, 'hello');
  await fixture.rest();
  expect(await fixture.said(mom)).toEqual(['user: hello', 'assistant: I think that']);
  expect(await fixture.sent(mom)).toEqual([]);
  fixture.model(() => 'ok');
  await fixture.writes(mom, 'are you there?');
  await fixture.rest();
  expect(fixture.asked.at(-1)?.lines[1]).toMatchObject({ content: 'I think that', sent: false });
});
