import { expect, test } from 'vitest';
import { statusOf } from '../testing/answers.ts';
import { describe } from './status.ts';

test('names each queue that holds dead letters, with its sentence', () => {
  const status = statusOf(7, '/home/ana');
  status.jobs = {
    ...status.jobs,
    dead: 3,
    dead_letters: [
      { queue: 'deliver', count: 2, sentence: 'Messages could not be sent.' },
      { queue: 'route', count: 1, sentence: 'A message could not be routed.' },
    ],
  };
  const lines = describe(status, 3214);
  expect(lines).toContain('  Dead letters   deliver: 2. Messages could not be sent.');
  expect(lines).toContain('                 route: 1. A message could not be routed.');
});

test('shows the number an account is linked with', () => {
  const status = statusOf(7, '/home/ana');
  status.whatsapp = { state: 'connected', sentence: 'Connected.', phone_number: '491701' };
  expect(describe(status, 3214)).toContain('  WhatsApp       Connected. (+491701)');
});

test('says how sending is and what happened while away, where the daemon knows it', () => {
  const status = {
    ...statusOf(7, '/home/ana'),
    sending: { sentence: 'Sending is well.' },
    report: { sentence: 'Down 42 min: 7 in.' },
  };
  const lines = describe(status, 3214);
  expect(lines).toContain('  Sending        Sending is well.');
  expect(lines).toContain('  While away     Down 42 min: 7 in.');
  const plain = describe(statusOf(7, '/home/ana'), 3214);
  expect(plain.join('\n')).not.toMatch(/Sending|While away/);
});
