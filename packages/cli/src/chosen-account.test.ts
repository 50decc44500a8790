import { verifies } from '@relay/testing/verifies';
import { afterEach, expect, test } from 'vitest';
import { chooseAccount, pathForAccount } from './chosen-account.ts';

afterEach(() => chooseAccount(null));

test('a request is for the chosen account, and for the default one if none is chosen', () => {
  verifies('ACCOUNT-ROUTES');
  expect(pathForAccount('/api/chats?q=a')).toBe('/api/chats?q=a');
  chooseAccount('sales');
  expect(pathForAccount('/api/chats?q=a')).toBe('/api/accounts/sales/chats?q=a');
  expect(pathForAccount('/api/v1/accounts/default/chats')).toBe('/api/v1/accounts/sales/chats');
});

test('what all accounts have in common has one address', () => {
  chooseAccount('sales');
  for (const path of ['/api/accounts', '/api/accounts/a', '/api/owners', '/api/inbox', '/mcp'])
    expect(pathForAccount(path)).toBe(path);
});
