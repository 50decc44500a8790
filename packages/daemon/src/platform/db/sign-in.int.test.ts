import { freshStore, times } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { createSignInStore } from './sign-in.ts';

const { database, account } = await freshStore();
const signIn = createSignInStore(database.kysely, account);
const now = new Date('2026-01-01T12:00:00Z');
const later = new Date(now.getTime() + 60_000);

test('of fifty concurrent callers with the same code, one is let in', async () => {
  await signIn.addCode('code', later);
  const answers = await Promise.all(times(50, () => signIn.spendCode('code', now)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(await signIn.spendCode('code', now)).toBe(false);
});

test('an expired or unknown code is refused', async () => {
  await signIn.addCode('late', later);
  expect(await signIn.spendCode('late', later)).toBe(false);
  expect(await signIn.spendCode('unknown', now)).toBe(false);
});

test('a session is valid until it expires or is ended', async () => {
  await signIn.addSession('one', later);
  await signIn.addSession('two', later);
  expect(await signIn.hasSession('one', now)).toBe(true);
  expect(await signIn.hasSession('one', later)).toBe(false);
  await signIn.endSession('one');
  expect(await signIn.hasSession('one', now)).toBe(false);
  expect(await signIn.hasSession('two', now)).toBe(true);
});

test('a session has its start time', async () => {
  const before = new Date();
  await signIn.addSession('young', new Date(before.getTime() + 60_000));
  expect(await signIn.isSessionSince('young', before)).toBe(true);
  expect(await signIn.isSessionSince('young', new Date(before.getTime() + 60_000))).toBe(false);
  expect(await signIn.isSessionSince('unknown', before)).toBe(false);
});

test('ending all sessions also ends every unspent code', async () => {
  await signIn.addSession('three', later);
  await signIn.addCode('open', later);
  await signIn.endAll();
  expect(await signIn.hasSession('three', now)).toBe(false);
  expect(await signIn.spendCode('open', now)).toBe(false);
});

test('codes and sessions of one account are not valid for another', async () => {
  const { id } = await database.kysely
    .insertInto('accounts')
    .values({ label: 'other' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await signIn.addCode('mine', later);
  await signIn.addSession('mine', later);
  const other = createSignInStore(database.kysely, id);
  expect(await other.spendCode('mine', now)).toBe(false);
  expect(await other.hasSession('mine', now)).toBe(false);
  await other.endAll();
  expect(await signIn.hasSession('mine', now)).toBe(true);
});
