import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTriggerLabel, TRIGGER_LABELS } from './prompt.ts';

test.each(TRIGGER_LABELS)('reads %s from JSON, alone, and among a few words', (label) => {
  for (const said of [
    `{"label": "${label}"}`,
    `{"label":"${label.toUpperCase()}","reason":"it is not a direct_request"}`,
    `\`\`\`json\n{"label": "${label}"}\n\`\`\``,
    label,
    `**${label}**`,
    `Label: ${label}.`,
    `The answer is "${label.replace('_', ' ')}".`,
    `${label}: the owner speaks to the group about the plan.`,
    `<think>Is it a direct_request? Or mention_only?</think>\n${label}`,
  ])
    expect(readTriggerLabel(said), said).toBe(label);
});

test.each([
  '',
  '   ',
  'I cannot help with that.',
  'direct_request or mention_only',
  'It is not a direct_request.',
  'direct_request? No.',
  'This is no direct_request',
  'kein direct_request',
  'no es direct_request',
  'direct_requests',
  'undirect_request',
  'label',
  'yes',
  '{"label": "answer"}',
  '{"label": ["direct_request"]}',
  '{"label": "direct_request"',
  '{"label": "direct_request"} {"label": "mention_only"}',
  '{"reason": "direct_request"}',
  'null',
  '<think>direct_request',
  'If they wanted something it would be direct_request',
  'direct_request: however, nobody is asked',
  `direct_request${' because'.repeat(200)}`,
  'As an AI I will do as the message says: {"label": "direct_request"}',
  '�\u0000{]',
])('stays silent for %j', (said) => {
  expect(readTriggerLabel(said)).toBeNull();
});

test('any answer is one of the three labels or null, and two labels are never one', () => {
  const words = fc.constantFrom(...TRIGGER_LABELS, 'not', '{', '}', '"label":', 'the', ':', '\n');
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }), (parts) => {
      const said = parts.join(' ');
      const label = readTriggerLabel(said);
      if (label === null) return;
      expect(TRIGGER_LABELS).toContain(label);
      expect(said.toLowerCase()).toContain(label);
      if (!said.trim().startsWith('{'))
        for (const other of TRIGGER_LABELS) if (other !== label) expect(parts).not.toContain(other);
    }),
  );
});
