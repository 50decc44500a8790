import { HOME_OWNER } from '@relay/contract/ids';
import { freshStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { createSignInStore } from './sign-in.ts';

const HOME = { id: HOME_OWNER, role: 'owner' };
const { database } = await freshStore();
const signIn = createSignInStore(database.kysely);
const now = new Date('2026-01-01T12:00:00Z');
const later = new Date(now.getTime() + 60_000);

test('of fifty concurrent callers with the same code, one is let in', async () => {
  await signIn.addCode('code', later, HOME_OWNER);
  const answers = await Promise.all(times(50, () => signIn.spendCode('code', now)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(await signIn.spendCode('code', now)).toBeNull();
});

test('an expired or unknown code is refused', async () => {
  await signIn.addCode('late', later, HOME_OWNER);
  expect(await signIn.spendCode('late', later)).toBeNull();
  expect(await signIn.spendCode('unknown', now)).toBeNull();
});

test('a session is valid until it expires or is ended', async () => {
  await signIn.addSession('one', later, HOME_OWNER);
  await signIn.addSession('two', later, HOME_OWNER);
  expect(await signIn.findSession('one', now)).toEqual(HOME);
  expect(await signIn.findSession('one', later)).toBeNull();
  await signIn.endSession('one');
  expect(await signIn.findSession('one', now)).toBeNull();
  expect(await signIn.findSession('two', now)).toEqual(HOME);
});

test('a session has its start time', async () => {
  const before = new Date();
  await signIn.addSession('young', new Date(before.getTime() + 60_000), HOME_OWNER);
  expect(await signIn.isSessionSince('young', before)).toBe(true);
  expect(await signIn.isSessionSince('young', new Date(before.getTime() + 60_000))).toBe(false);
  expect(await signIn.isSessionSince('unknown', before)).toBe(false);
});

test('ending all sessions also ends every unspent code', async () => {
  await signIn.addSession('three', later, HOME_OWNER);
  await signIn.addCode('open', later, HOME_OWNER);
  await signIn.endAll(HOME_OWNER);
  expect(await signIn.findSession('three', now)).toBeNull();
  expect(await signIn.spendCode('open', now)).toBeNull();
});

test('a code and a session are those of one owner, and end with that owner’s others only', async () => {
  verifies('ACCOUNT-OWNERS');
  const { id } = await database.kysely
    .insertInto('owners')
    .values({ name: 'ana', role: 'operator' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await signIn.addCode('hers', later, id);
  await signIn.addSession('hers', later, id);
  await signIn.addSession('mine', later, HOME_OWNER);
  expect(await signIn.spendCode('hers', now)).toBe(id);
  expect(await signIn.findSession('hers', now)).toEqual({ id, role: 'operator' });
  await signIn.endAll(id);
  expect(await signIn.findSession('hers', now)).toBeNull();
  expect(await signIn.findSession('mine', now)).toEqual(HOME);
});
