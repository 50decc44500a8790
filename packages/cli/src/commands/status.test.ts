import { expect, test } from 'vitest';
import { statusOf } from '../testing/answers.ts';
import { formatStatus } from './status.ts';

test('names each queue with dead letters and its sentence', () => {
  const status = statusOf(7, '/home/ana');
  status.jobs = {
    ...status.jobs,
    dead: 3,
    dead_letters: [
      { queue: 'deliver', count: 2, sentence: 'Messages could not be sent.' },
      { queue: 'route', count: 1, sentence: 'A message could not be routed.' },
    ],
  };
  const lines = formatStatus(status, 3214);
  expect(lines).toContain('  Dead letters   deliver: 2. Messages could not be sent.');
  expect(lines).toContain('                 route: 1. A message could not be routed.');
});

test('shows the linked number', () => {
  const status = statusOf(7, '/home/ana');
  status.whatsapp = { state: 'connected', sentence: 'Connected.', phone_number: '491701' };
  expect(formatStatus(status, 3214)).toContain('  WhatsApp       Connected. (+491701)');
});

test('shows the state of sending, and what happened while away', () => {
  const status = statusOf(7, '/home/ana');
  status.sending = { ...status.sending, sentence: 'Sending is well.' };
  expect(formatStatus(status, 3214)).toContain('  Sending        Sending is well.');
  expect(formatStatus(status, 3214).join('\n')).not.toMatch(/While away/);
  status.report = {
    cause: 'daemon',
    since: '2026-11-15T01:00:00.000Z',
    until: '2026-11-15T01:42:00.000Z',
    messages: 7,
    chats: 2,
    replayed: 9,
    unknownSends: 0,
    needsYou: 0,
    sentence: 'Away for 42 min: 7 messages came in from 2 chats.',
  };
  expect(formatStatus(status, 3214)).toContain(
    '  While away     Away for 42 min: 7 messages came in from 2 chats.',
  );
});

test('shows message requests, if there are any', () => {
  const status = statusOf(7, '/home/ana');
  expect(formatStatus(status, 3214).join('\n')).not.toMatch(/Knocks/);
  status.knocks_waiting = 1;
  expect(formatStatus(status, 3214)).toContain(
    '  Knocks         1 person wrote without a grant: `relay contacts --knocks`',
  );
});
