// The minimum quality of phase 1: a request that it misses is lost, and a false positive costs one model call.
import { passesPhaseOne, triggerReport } from '@relay/core/eval/trigger-set';
import { findAddress } from '@relay/core/observer/trigger/address';
import { expect, test } from 'vitest';
import { readDigestSet, readTriggerSet } from './service.ts';

test('passes nearly all requests of 474 labelled cases, and not too many other messages', async () => {
  const cases = await readTriggerSet();
  const sorted = cases.map((given) => (passesPhaseOne(given) ? { given, label: null } : { given }));
  const { asked, phase_one: all, hard } = triggerReport(sorted);
  expect(cases).toHaveLength(474);
  expect(all.recall).toBeGreaterThanOrEqual(0.99);
  expect(hard.phase_one.recall).toBeGreaterThanOrEqual(0.97);
  expect(asked).toBeLessThanOrEqual(340);
  expect(
    cases.filter(passesPhaseOne).every(({ sender, forwarded }) => sender === 'owner' && !forwarded),
  ).toBe(true);
});

test('matches a name that nobody has in fewer than 1% of the messages of two weeks', async () => {
  const messages = (await readDigestSet()).flatMap(({ judged }) =>
    judged.map((each) => each.message),
  );
  for (const name of ['Relay', 'Jarvis', 'Robin', 'Mira', 'Alexa', 'Emma']) {
    const heard = messages.filter((message) =>
      findAddress(message, { name, jids: [], isAssistantMessage: () => false }),
    );
    expect(heard.length / messages.length, name).toBeLessThan(0.01);
  }
});
