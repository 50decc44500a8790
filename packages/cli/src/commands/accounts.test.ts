import type { ListedAccount } from '@relay/contract/api/accounts';
import { expect, test } from 'vitest';
import { formatAccounts } from './accounts.ts';

const account = (given: Partial<ListedAccount>): ListedAccount => ({
  name: 'default',
  default: true,
  owner: 'owner',
  own: true,
  served: true,
  state: 'connected',
  sentence: 'Connected.',
  phone_number: '15550000000',
  profile_name: 'Ana',
  created_at: '2026-11-15T09:00:00.000Z',
  waiting_count: 0,
  hold: false,
  sent_today: 0,
  ...given,
});

test('lists accounts with their state, marks the default one, and names the owner of others', () => {
  const lines = formatAccounts([
    account({ waiting_count: 2 }),
    account({ name: 'ana', default: true, own: false, owner: 'Ana', phone_number: null }),
    account({ name: 'sales', default: false, hold: true }),
  ]);
  expect(lines).toEqual([
    '* default  +15550000000 Connected. 2 waiting.',
    '  ana      Connected. Belongs to Ana.',
    '  sales    +15550000000 Connected. Sending is on hold.',
  ]);
});
