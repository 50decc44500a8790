// Tests the eleven steps of seed 000 from the router on, with a scripted model.
import { RelayError } from '@relay/contract/errors';
import { times } from '@relay/testing/store';
import { expect, test, vi } from 'vitest';
import { freshBed, MAY } from './testing/bed.ts';

const bed = await freshBed();

test('answers a contact with read and reply grants through the gate and stores both messages', async () => {
  const mom = await bed.contact();
  const message = await bed.writes(mom, 'Are you coming?', new Date('2026-02-21T10:00:00Z'));
  await bed.rest();
  expect(await bed.said(mom)).toEqual(['user: Are you coming?', 'assistant: Re: Are you coming?']);
  const [user] = await bed.sql('SELECT at, message_id FROM session_messages WHERE role = $1', [
    'user',
  ]);
  expect(user).toEqual({ at: new Date('2026-02-21T10:00:00Z'), message_id: message });
});

test('titles the session, links it to the grant, reuses it, and creates it again after deletion', async () => {
  const mom = await bed.contact({ name: 'Mom' });
  const chatId = async () =>
    (await bed.sql('SELECT session_id FROM grants WHERE contact_id = $1', [mom.contact]))[0];
  await bed.writes(mom, 'one');
  await bed.rest();
  const first = await bed.session(mom);
  expect(first).toMatchObject({ title: 'WhatsApp: Mom' });
  expect(await chatId()).toEqual({ session_id: first?.id });
  await bed.writes(mom, 'two');
  await bed.rest();
  expect((await bed.session(mom))?.id).toBe(first?.id);
  await bed.sql('DELETE FROM sessions WHERE id = $1', [first?.id]);
  await bed.writes(mom, 'three');
  await bed.rest();
  const anew = await bed.session(mom);
  expect(anew?.id).not.toBe(first?.id);
  expect(await chatId()).toEqual({ session_id: anew?.id });
  expect(await bed.said(mom)).toEqual(['user: three', 'assistant: Re: three']);
  expect(await bed.sent(mom)).toEqual(['Re: one', 'Re: two', 'Re: three']);
});

test('stores messages of a read-only contact without a model call', async () => {
  const mom = await bed.contact({ grant: { ...MAY, canReply: false } });
  const asked = bed.asked.length;
  const message = await bed.writes(mom, 'hello');
  await bed.rest();
  expect(bed.asked).toHaveLength(asked);
  expect(await bed.said(mom)).toEqual(['user: hello']);
  expect(await bed.decided(message)).toEqual(['unanswered: read_only']);
});

test('stores but does not send answers to read-only contacts when the settings ask for them', async () => {
  const { auto_reply: before } = bed.settings;
  bed.settings.auto_reply = { ...before, compose_for_read_only: true };
  const mom = await bed.contact({ grant: { ...MAY, canReply: false } });
  const message = await bed.writes(mom, 'hello');
  await bed.rest();
  bed.settings.auto_reply = before;
  expect(await bed.said(mom)).toEqual(['user: hello', 'assistant: Re: hello']);
  expect(await bed.sent(mom)).toEqual([]);
  expect(await bed.decided(message)).toEqual(['unanswered: read_only']);
});

test('sends nothing when the model says nothing', async () => {
  const mom = await bed.contact();
  bed.model(() => '  ');
  const message = await bed.writes(mom, 'hello');
  await bed.rest();
  bed.model(({ lines }) => `Re: ${lines.at(-1)?.content}`);
  expect(await bed.said(mom)).toEqual(['user: hello']);
  expect(await bed.sent(mom)).toEqual([]);
  expect(await bed.decided(message)).toEqual(['unanswered: nothing_said']);
});

test('gives the model the last 20 lines, each answer after its message, and stores all lines', async () => {
  const mom = await bed.contact();
  for (const n of times(12, (i) => i)) {
    await bed.writes(mom, `line ${n}`, new Date(Date.now() - (12 - n) * 60_000));
    await bed.rest();
  }
  const last = bed.asked.at(-1)?.lines ?? [];
  expect(last.map(({ from, content }) => `${from}: ${content}`)).toEqual([
    'agent: Re: line 1',
    ...times(9, (n) => [`contact: line ${n + 2}`, `agent: Re: line ${n + 2}`]).flat(),
    'contact: line 11',
  ]);
  expect(await bed.said(mom)).toHaveLength(24);
});

test('answers messages that arrive together once each, in order', async () => {
  const mom = await bed.contact();
  await Promise.all([bed.writes(mom, 'a')]);
  for (const text of ['b', 'c', 'd']) await bed.writes(mom, text);
  await bed.rest();
  expect(await bed.sent(mom)).toEqual(['Re: a', 'Re: b', 'Re: c', 'Re: d']);
  const seen = bed.asked.slice(-4).map(({ lines }) => lines.map(({ content }) => content).join());
  expect(seen).toEqual(['a', 'a,Re: a,b', 'a,Re: a,b,Re: b,c', 'a,Re: a,b,Re: b,c,Re: c,d']);
});

test('does not delay other contacts during a slow answer, and runs one job per session', async () => {
  const [slow, quick] = [await bed.contact({ name: 'Slow' }), await bed.contact()];
  const gate = Promise.withResolvers<void>();
  bed.model(async ({ sender, lines }) => {
    if (sender === 'Slow') await gate.promise;
    return `Re: ${lines.at(-1)?.content}`;
  });
  for (const text of ['1', '2', '3']) await bed.writes(slow, text);
  const { id } = (await bed.session(slow)) ?? {};
  const jobs = () =>
    bed.sql(
      "SELECT 1 FROM relay_jobs.job WHERE state < 'completed' AND singleton_key LIKE '%' || $1",
      [id],
    );
  expect(await jobs()).toHaveLength(1);
  await bed.writes(quick, 'x');
  await expect.poll(() => bed.sent(quick)).toEqual(['Re: x']);
  expect(await bed.sent(slow)).toEqual([]);
  gate.resolve();
  await bed.rest();
  expect(await bed.sent(slow)).toEqual(['Re: 1', 'Re: 2', 'Re: 3']);
});

test('alternates between contacts however much each writes', async () => {
  const names = ['A', 'B'];
  const people = [];
  for (const name of names) people.push(await bed.contact({ name }));
  // Each answer is held until the other contact's answer of the same round has begun. A contact who had to wait for all
  // answers of the other would wait for ever.
  const asked = new Map(names.map((name) => [name, 0]));
  bed.model(async ({ sender, lines }) => {
    const round = (asked.get(sender) ?? 0) + 1;
    asked.set(sender, round);
    await vi.waitUntil(() => Math.min(...asked.values()) >= round, { timeout: 20_000 });
    return `Re: ${lines.at(-1)?.content}`;
  });
  for (const person of people) for (const n of times(3, (i) => i)) await bed.writes(person, `${n}`);
  await bed.rest();
  for (const person of people) expect(await bed.sent(person)).toEqual(['Re: 0', 'Re: 1', 'Re: 2']);
});

test('logs a model failure, sends nothing and continues with the queue', async () => {
  const mom = await bed.contact();
  let tries = 0;
  bed.model(({ lines }) => {
    if (lines.at(-1)?.content !== 'bad') return 'fine';
    tries++;
    throw new RelayError('model_refused', { provider: 'x', status: 400 });
  });
  const bad = await bed.writes(mom, 'bad');
  await bed.writes(mom, 'good');
  await bed.rest();
  expect(tries).toBe(1);
  expect(await bed.said(mom)).toEqual(['user: bad', 'user: good', 'assistant: fine']);
  expect(await bed.sent(mom)).toEqual(['fine']);
  expect(await bed.decided(bad)).toEqual(['unanswered: model_failed']);
  expect(bed.logged).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'the answer failed' }),
  );
});

test('retries a temporary failure once', async () => {
  const mom = await bed.contact();
  let tries = 0;
  bed.model(() => {
    if (++tries === 1) throw new RelayError('model_busy', { provider: 'x' });
    return 'at last';
  });
  await bed.writes(mom, 'hello');
  await bed.rest();
  expect(await bed.said(mom)).toEqual(['user: hello', 'assistant: at last']);
  expect(await bed.sent(mom)).toEqual(['at last']);
});

test('stores partial text of a failed answer without sending it and tells the model next time', async () => {
  const mom = await bed.contact();
  bed.model((_context, hooks) => {
    hooks.onText('I think that');
    throw new RelayError('model_refused', { provider: 'x', status: 400 });
  });
  await bed.writes(mom, 'hello');
  await bed.rest();
  expect(await bed.said(mom)).toEqual(['user: hello', 'assistant: I think that']);
  expect(await bed.sent(mom)).toEqual([]);
  bed.model(() => 'ok');
  await bed.writes(mom, 'are you there?');
  await bed.rest();
  expect(bed.asked.at(-1)?.lines[1]).toMatchObject({ content: 'I think that', sent: false });
});
