import { instanceId } from '@relay/contract/ids';
import { expect, test } from 'vitest';
import { conversationNotice } from './transition.ts';

const parts = {
  id: instanceId('0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d'),
  contact: 'Ana (+56912345678)',
  objective: 'Get a quote',
  reason: 'The agent gave no answer.',
};

test('one line has the contact, the objective, the reason and the next step', () => {
  expect(conversationNotice('needs_you', parts)).toBe(
    `Relay: “Get a quote” with Ana (+56912345678) needs you. The agent gave no answer. → relay get ${parts.id}`,
  );
  expect(conversationNotice('taken_over', parts)).toMatch(/is paused\. .+ → relay resume /);
});

test('text by people and models stays one line of limited length', () => {
  const long = `a\n\nb\u2028${'🙂'.repeat(5_000)}`;
  const line = conversationNotice('completed', {
    ...parts,
    objective: long,
    contact: long,
    reason: long,
  });
  expect(line).not.toMatch(/[\n\u2028]/);
  expect([...line].length).toBeLessThan(600);
  expect(line.isWellFormed()).toBe(true);
});
