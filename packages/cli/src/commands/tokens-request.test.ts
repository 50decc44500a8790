import { expect, test } from 'vitest';
import { parseTokenRequest } from './tokens.ts';

const now = new Date('2026-11-15T19:00:00.000Z');
const asked = { name: ' claude ', scopes: 'messages:read, messages:send' };

test('parses scopes and contacts as lists, and asks for approval by default', () => {
  expect(parseTokenRequest(asked, now)).toEqual({
    name: 'claude',
    scopes: ['messages:read', 'messages:send'],
    confirm: true,
  });
  const options = { ...asked, contacts: 'Mom, +49 170 1234567,', confirm: false, expires: '90d' };
  expect(parseTokenRequest(options, now)).toEqual({
    name: 'claude',
    scopes: ['messages:read', 'messages:send'],
    contacts: ['Mom', '+49 170 1234567'],
    confirm: false,
    expires_at: '2027-02-13T19:00:00.000Z',
  });
  const { expires_at } = parseTokenRequest({ ...asked, expires: '2027-01-31T12:00:00Z' }, now);
  expect(expires_at).toBe('2027-01-31T12:00:00.000Z');
});

test.each([
  [{ scopes: 'messages:read' }, 'Give the name of the client, such as --name claude.'],
  [{ name: ' ', scopes: 'messages:read' }, 'Give the name of the client, such as --name claude.'],
  [{ name: 'a' }, 'Scopes are missing. Give --scopes one or more of messages:read, '],
  [{ name: 'a', scopes: 'messages:read,admin' }, 'admin is not a scope. Give --scopes one '],
  [{ name: 'a', scopes: 'toString' }, 'toString is not a scope.'],
  [{ ...asked, contacts: ' , ' }, 'Give --contacts at least one name or number, or omit it.'],
  [{ ...asked, expires: 'soon' }, 'Give --expires as `90d`, `12h` or `2027-01-31`.'],
  [{ ...asked, expires: '999999999d' }, 'Give --expires as `90d`, `12h` or `2027-01-31`.'],
  [{ ...asked, expires: '2020-01-01' }, '--expires is in the past.'],
])('reports what it does not understand: %o', (options, sentence) => {
  expect(() => parseTokenRequest(options, now)).toThrow(sentence);
});
