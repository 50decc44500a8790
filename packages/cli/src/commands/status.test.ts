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
  status.whatsapp = { state: 'connected', sentence: 'Connected.', phone_number: '+49 170 1' };
  expect(describe(status, 3214)).toContain('  WhatsApp       Connected. (+49 170 1)');
});
