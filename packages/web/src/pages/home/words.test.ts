import type { DaemonStatus } from '@relay/contract/api/status';
import { expect, test } from 'vitest';
import { homeSentence, withoutListedApprovals } from './copy.ts';

test('a conversation that waits for an approval is shown only by its approval', () => {
  const stopped = [
    { id: 'leak', approval_id: null },
    { id: 'van', approval_id: 'yes-1' },
    { id: 'desk', approval_id: 'yes-2' },
  ];
  const shown = withoutListedApprovals(stopped, [{ id: 'yes-1' }, { id: 'other' }]);
  expect(shown.map(({ id }) => id)).toEqual(['leak', 'desk']);
});

test('Home does not claim that Relay listens while it does not answer', () => {
  const status = { hold: false, whatsapp_connected: true, waiting_count: 2 } as DaemonStatus;
  expect(homeSentence(status, undefined, false)).toBe(
    'Relay is listening. Two things wait for you.',
  );
  expect(homeSentence(status, undefined, true)).toBe('Relay is not answering.');
});
