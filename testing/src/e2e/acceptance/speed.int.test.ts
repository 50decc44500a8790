// One message arrives soon, after its typing time if pacing is on, and ten conversations run at once. `npm run bench --
// nfr` measures how fast.
import { typingMs } from '@relay/core/outbox/pacing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness, PACING } from './harness.ts';
import { ANY, end, FIRST, send } from './script.ts';

const TEN = Array.from({ length: 10 }, (_, n) => `Person-${'abcdefghij'[n]}-of-ten`);

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

it('a message is on the phone within three seconds, without the pacing', async () => {
  verifies('003-NFR-SEND');
  const wilhelmina = await harness.person('Wilhelmina');
  wilhelmina.meets(FIRST, send('Which day?'));
  const id = await harness.create(wilhelmina);
  await wilhelmina.reads('Which day?');
  const took: number[] = [];
  const texts = ['one', 'two', 'three', 'four', 'five'];
  for (const text of texts) {
    const began = performance.now();
    await harness.api.ok('POST', `/api/instances/${id}/send`, { message: text });
    await wilhelmina.reads(text);
    took.push(performance.now() - began);
  }
  // The best of a few: this measures Relay, not what else the machine does.
  const typed = (random: number) => texts.map((text) => typingMs(text, PACING, random));
  expect(Math.min(...took)).toBeGreaterThanOrEqual(Math.min(...typed(0)));
  expect(Math.min(...took)).toBeLessThan(3_000 + Math.max(...typed(1)));
});

it('the turns of ten conversations run at the same time', async () => {
  verifies('003-NFR-TEN');
  const people = await Promise.all(TEN.map((name) => harness.person(name)));
  // Somebody who has written before is not a first contact, of which pacing allows five a day.
  await Promise.all(people.map((person) => person.writes('Hello')));
  for (const { name, phone } of people) {
    await expect.poll(() => harness.api.messages({ contact: phone })).toHaveLength(1);
    harness.model.rules([
      {
        when: { system: name, contains: 'tomorrow, then' },
        reply: { tool_calls: [end('Tomorrow.')] },
      },
      { when: { system: name, contains: ANY }, reply: { tool_calls: [send('Which day?')] } },
    ]);
  }
  const allTen = gate(TEN.length);
  harness.model.play(async ({ messages }) => {
    if (messages.at(-1)?.role === 'user') await allTen();
    return undefined;
  });
  onTestFinished(() => harness.model.play(undefined));
  const create = (person: (typeof people)[number]) =>
    harness.api.ok<{ id: string }>('POST', '/api/instances', {
      objective: `Agree with ${person.name} on a day`,
      target_contact: person.number,
    });
  const ids = await Promise.all(people.map(async (person) => (await create(person)).id));
  await Promise.all(people.map((person) => person.reads('Which day?')));
  await Promise.all(
    people.map(async (person, n) => {
      await person.writes('tomorrow, then');
      await harness.reaches(ids[n] ?? '', 'COMPLETED');
    }),
  );
  for (const person of people) expect(await person.has()).toEqual(['Which day?']);
});

/** Holds callers back until there are this many: if they came one after another, none would pass. */
function gate(size: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return () =>
    new Promise((pass) => {
      waiting.push(pass);
      if (waiting.length < size) return;
      for (const one of waiting) one();
      waiting = [];
    });
}
