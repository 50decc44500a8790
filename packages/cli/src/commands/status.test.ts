import type { DaemonStatus } from '@relay/contract/api/status';
import { describe, expect, test } from 'vitest';
import { statusOf } from '../testing/answers.ts';
import { formatStatus } from './status.ts';

test('names each queue with failed jobs and its sentence', () => {
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
  expect(lines).toContain('  Failed jobs    deliver: 2. Messages could not be sent.');
  expect(lines).toContain('                 route: 1. A message could not be routed.');
});

test('shows the linked number', () => {
  const status = statusOf(7, '/home/ana');
  status.whatsapp = { state: 'connected', sentence: 'Connected.', phone_number: '491701' };
  expect(formatStatus(status, 3214)).toContain('  WhatsApp       Connected. Account: +491701');
});

describe('the state of sending', () => {
  const sendingRow = (given: Partial<DaemonStatus>) =>
    formatStatus({ ...statusOf(7, '/home/ana'), ...given }, 3214).find((line) =>
      line.startsWith('  Sending '),
    );
  const connected = {
    whatsapp_connected: true,
    whatsapp: { state: 'connected', sentence: 'Connected.', phone_number: '491701' },
  };

  test('is active while connected without a problem', () => {
    expect(sendingRow(connected)).toBe('  Sending        Active');
  });

  test('is the sentence of the daemon when there is a problem', () => {
    const { sending } = statusOf(7, '/home/ana');
    const failing = { ...sending, light: 'amber' as const, sentence: '1 message failed.' };
    expect(sendingRow({ ...connected, sending: failing })).toBe(
      '  Sending        1 message failed.',
    );
  });

  test('is on hold, whatever the connection is', () => {
    expect(sendingRow({ ...connected, hold: true })).toBe('  Sending        On hold');
    expect(sendingRow({ hold: true })).toBe('  Sending        On hold');
  });

  test.each([
    ['disconnected', null, 'no phone is linked'],
    ['logged_out', '491701', 'no phone is linked'],
    ['qr_ready', null, 'no phone is linked'],
    ['disconnected', '491701', 'WhatsApp is not connected'],
    ['unreachable', '491701', 'WhatsApp is not connected'],
    ['credentials_unreadable', null, 'WhatsApp is not connected'],
  ])('is waiting in the state %s with the number %s: %s', (state, phone_number, reason) => {
    const whatsapp = { state, sentence: 'Not connected.', phone_number };
    expect(sendingRow({ whatsapp })).toBe(`  Sending        Waiting: ${reason}`);
  });
});

test('shows what happened while Relay was offline', () => {
  const status = statusOf(7, '/home/ana');
  expect(formatStatus(status, 3214).join('\n')).not.toMatch(/While offline/);
  status.report = {
    cause: 'daemon',
    since: '2026-11-15T01:00:00.000Z',
    until: '2026-11-15T01:42:00.000Z',
    messages: 7,
    chats: 2,
    replayed: 9,
    unknownSends: 0,
    needsYou: 0,
    sentence: 'Offline for 42 min: 7 messages received from 2 chats.',
  };
  expect(formatStatus(status, 3214)).toContain(
    '  While offline  Offline for 42 min: 7 messages received from 2 chats.',
  );
});

test('shows pending approvals and message requests, if there are any', () => {
  const status = statusOf(7, '/home/ana');
  expect(formatStatus(status, 3214).join('\n')).not.toMatch(/Approvals|Message requests/);
  status.approvals_waiting = 2;
  expect(formatStatus(status, 3214)).toContain('  Approvals      2 pending (`relay approvals`)');
  status.knocks_waiting = 1;
  expect(formatStatus(status, 3214)).toContain(
    '  Message requests  1 pending (`relay contacts --requests`)',
  );
});
