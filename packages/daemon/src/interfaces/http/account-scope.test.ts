import type { IncomingMessage } from 'node:http';
import type { FoundClient, SignedInOwner } from '@relay/contract/api/credentials';
import { type AccountId, HOME_OWNER, type OwnerId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import {
  accountInPath,
  accountOf,
  inAccount,
  withoutAccountPrefix,
  withServicesOfRequest,
} from './account-scope.ts';
import type { Principal, RouteSubject } from './app.ts';
import type { AccountDirectory, HttpDeps, ServedAccount } from './deps.ts';

const ANA = 2 as OwnerId;
const served = (id: number, name: string, owner: OwnerId): ServedAccount => ({
  id: id as AccountId,
  name,
  owner,
  services: { chats: { get: async () => name } } as unknown as ServedAccount['services'],
});
const all = [
  served(1, 'default', HOME_OWNER),
  served(2, 'sales', HOME_OWNER),
  served(3, 'ana', ANA),
];
const accounts: AccountDirectory = {
  find: (name) => all.find((one) => one.name === name) ?? null,
  byId: (id) => all.find((one) => one.id === id) ?? null,
  defaultOf: (owner) => all.find((one) => one.owner === owner) ?? null,
};
const as = (owner: SignedInOwner): Principal => ({ kind: 'token', hash: '', owner });
const home = as({ id: HOME_OWNER, role: 'owner' });
const ana = as({ id: ANA, role: 'owner' });
const operator = as({ id: 9 as OwnerId, role: 'operator' });
const client = (ids: readonly number[]): Principal => ({
  kind: 'program',
  hash: '',
  program: { accounts: ids as readonly AccountId[] } as FoundClient,
});

function outcome(who: Principal, name: string | null, subject: RouteSubject): string {
  try {
    return accountOf(accounts, who, { name, subject })?.name ?? 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('the account of a request', () => {
  test('is the one it names, or the caller’s default', () => {
    verifies('ACCOUNT-ROUTES', 'ACCOUNT-OWNERS');
    expect(outcome(home, null, 'account')).toBe('default');
    expect(outcome(home, 'sales', 'account')).toBe('sales');
    expect(outcome(ana, null, 'account')).toBe('ana');
    expect(outcome(ana, 'sales', 'account')).toBe('account_not_found');
    expect(outcome(ana, 'sales', 'figures')).toBe('account_not_found');
    expect(outcome(ana, null, 'home')).toBe('home_only');
    expect(outcome(home, null, 'home')).toBe('default');
  });

  test('shows figures and no content of others to the home’s owner and to operators', () => {
    verifies('ACCOUNT-OPERATOR');
    for (const who of [home, operator]) {
      expect(outcome(who, 'ana', 'figures')).toBe('ana');
      expect(outcome(who, 'ana', 'account')).toBe('account_of_another');
      expect(outcome(who, 'nobody', 'figures')).toBe('account_not_found');
    }
    expect(outcome(operator, null, 'account')).toBe('account_of_another');
    expect(outcome(operator, null, 'caller')).toBe('none');
    expect(outcome(ana, 'sales', 'caller')).toBe('account_not_found');
    expect(outcome(home, 'nobody', 'caller')).toBe('account_not_found');
    expect(outcome(operator, null, 'home')).toBe('home_only');
    expect(outcome(ana, null, 'machine')).toBe('home_only');
    expect(outcome(operator, null, 'machine')).toBe('none');
    expect(outcome(home, null, 'machine')).toBe('default');
  });

  test('of a client is one that its token is valid for', () => {
    verifies('ACCOUNT-TOKENS');
    expect(outcome(client([2]), null, 'account')).toBe('sales');
    expect(outcome(client([1, 2]), null, 'account')).toBe('default');
    expect(outcome(client([1, 2]), 'sales', 'account')).toBe('sales');
    expect(outcome(client([2]), 'default', 'account')).toBe('account_not_found');
    expect(outcome(client([]), null, 'account')).toBe('account_not_found');
  });
});

test('a service is that of the request’s account, and outside a request there is none', async () => {
  verifies('ACCOUNT-MANY');
  const deps = withServicesOfRequest({} as HttpDeps);
  const { chats } = deps;
  const get = () => chats.get('x');
  for (const account of all) expect(await inAccount(account, get)).toBe(account.name);
  expect(get).toThrow('outside a request');
});

test('the account’s name is taken out of the path once', () => {
  const path = (url: string) => {
    const request = { url } as IncomingMessage;
    return [withoutAccountPrefix(request), accountInPath(request)];
  };
  expect(path('/api/chats')).toEqual(['/api/chats', null]);
  expect(path('/api/accounts/sales/chats?q=a')).toEqual(['/api/chats?q=a', 'sales']);
  expect(path('/api/accounts/sales')).toEqual(['/api/accounts/sales', null]);
  expect(path('/api/accounts/a/accounts/b/chats')).toEqual(['/api/accounts/b/chats', 'a']);
  expect(path('/accounts/sales/chats/1')).toEqual(['/chats/1', null]);
});
