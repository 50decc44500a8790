// The bar for phase 1: a request that is lost here is lost, what is passed on in vain costs one question.
import { passesPhaseOne, triggerReport } from '@relay/core/eval/trigger-set';
import { findAddress } from '@relay/core/observer/trigger/address';
import { expect, test } from 'vitest';
import { readDigestSet, readTriggerSet } from './service.ts';

test('of 474 labelled cases hardly a request is lost, and what is passed on stays worth asking', async () => {
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

test('in two weeks of talk a name that nobody has is heard in fewer than one message in a hundred', async () => {
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
