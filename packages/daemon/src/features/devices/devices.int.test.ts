// Pairing and passkeys against a real database, with an authenticator that can make each mistake.

import { randomUUID } from 'node:crypto';
import { HOME_OWNER } from '@relay/contract/ids';
import type { Log, LogFields } from '@relay/core/log';
import { silentLog } from '@relay/core/log';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { createSignInStore } from '../../platform/db/sign-in.ts';
import { createRemoteService, PAIRING_MS, parseRemoteOrigin } from './service.ts';
import { type Authenticator, createAuthenticator } from './testing/authenticator.ts';

const { database, account, sql } = await freshStore();
const lease = await takeLease(database.kysely, account, randomUUID());
if (lease === null) throw new Error('a fresh account is free');
const site = { host: 'relay.example.org', origin: 'https://relay.example.org' };
const there = { origin: site.origin, rpId: site.host };

let now = new Date('2026-11-18T12:00:00Z');
let hosts: readonly string[] = [];
const logged: LogFields[] = [];
const log: Log = { ...silentLog, warn: (_, fields = {}) => logged.push(fields) };
const remote = createRemoteService({
  db: database.kysely,
  lease,
  log,
  now: () => now,
  hosts: () => hosts,
  async saveHosts(saved) {
    hosts = saved;
  },
});
const signIn = createSignInStore(database.kysely);
const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

beforeEach(async () => {
  logged.length = 0;
  await sql('DELETE FROM devices');
  await remote.disable();
  await remote.enable(site.origin);
});

const ATTEMPT = 'the-attempt-of-the-first-phone';
const codeIn = (url: string) => /#pair=([\w-]+)$/.exec(url)?.[1] ?? '';
const newCode = async () => codeIn((await remote.pair()).url);

async function pair(phone: Authenticator, { counter = 0, name = 'iPhone' } = {}) {
  const attempt = { code: await newCode(), attempt: ATTEMPT };
  const options = await remote.registrationOptions(attempt, site);
  const credential = phone.create(options, { ...there, counter });
  return remote.register({ ...attempt, name, credential }, site);
}

const signInWith = async (phone: Authenticator, ceremony: object = {}) =>
  remote.signIn(phone.get(await remote.signInOptions(site), { ...there, ...ceremony }), site);

describe('a pairing code', () => {
  test('pairs one device, which signs in with its passkey', async () => {
    verifies('REMOTE-PAIRING');
    const phone = createAuthenticator();
    const device = await pair(phone);
    expect(await remote.devices()).toEqual([device]);
    expect(await signInWith(phone)).toBe(device.id);
  });

  test('is stored as a hash only', async () => {
    verifies('REMOTE-PAIRING');
    const code = await newCode();
    const [row] = await sql('SELECT * FROM pairing_codes');
    expect(code).toHaveLength(43);
    expect(JSON.stringify(row)).not.toContain(code);
    expect(Buffer.from(String(row?.hash)).toString('utf8')).not.toContain(code);
  });

  test('is refused when it is replayed, also by the phone that used it', async () => {
    verifies('REMOTE-PAIRING');
    const attempt = { code: await newCode(), attempt: ATTEMPT };
    const phone = createAuthenticator();
    const options = await remote.registrationOptions(attempt, site);
    const sent = { ...attempt, name: 'iPhone', credential: phone.create(options, there) };
    await remote.register(sent, site);
    await expect(remote.register(sent, site)).rejects.toThrow('already used');
    await expect(remote.registrationOptions(attempt, site)).rejects.toThrow('already used');
    expect(await remote.devices()).toHaveLength(1);
  });

  test('belongs to the first of two phones, even at the same moment', async () => {
    verifies('REMOTE-PAIRING');
    const code = await newCode();
    const attempts = [ATTEMPT, 'the-attempt-of-another-phone'].map((attempt) => ({
      code,
      attempt,
    }));
    const opened = await Promise.allSettled(
      attempts.map((attempt) => remote.registrationOptions(attempt, site)),
    );
    expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const first = opened.findIndex(({ status }) => status === 'fulfilled');
    const [mine, other] = [attempts[first], attempts[1 - first]];
    if (mine === undefined || other === undefined) throw new Error('There are two attempts.');
    // The first phone may ask again, for example after its owner dismissed the passkey.
    const options = await remote.registrationOptions(mine, site);
    const stolen = createAuthenticator().create(options, there);
    await expect(
      remote.register({ ...other, name: 'Thief', credential: stolen }, site),
    ).rejects.toThrow('not accepted');
    expect(await remote.devices()).toEqual([]);
  });

  test('pairs one device when it is sent twice at the same moment', async () => {
    verifies('REMOTE-PAIRING');
    const attempt = { code: await newCode(), attempt: ATTEMPT };
    const options = await remote.registrationOptions(attempt, site);
    const sent = [createAuthenticator(), createAuthenticator()].map((phone) =>
      remote.register({ ...attempt, name: 'A', credential: phone.create(options, there) }, site),
    );
    const ended = await Promise.allSettled(sent);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await remote.devices()).toHaveLength(1);
  });

  test('expires, also for a phone that has opened it', async () => {
    verifies('REMOTE-PAIRING');
    const attempt = { code: await newCode(), attempt: ATTEMPT };
    later(PAIRING_MS - 1_000);
    const options = await remote.registrationOptions(attempt, site);
    const credential = createAuthenticator().create(options, there);
    later(1_000);
    await expect(remote.registrationOptions(attempt, site)).rejects.toThrow('expired');
    await expect(remote.register({ ...attempt, name: 'A', credential }, site)).rejects.toThrow(
      'expired',
    );
  });

  test('ends when access is turned off, and when the owner signs out everywhere', async () => {
    verifies('REMOTE-PAIRING');
    for (const end of [() => remote.disable(), () => remote.endPairings()]) {
      await remote.enable(site.origin);
      const attempt = { code: await newCode(), attempt: ATTEMPT };
      await end();
      await expect(remote.registrationOptions(attempt, site)).rejects.toThrow('already used');
    }
  });

  test('is not made while access is off', async () => {
    await remote.disable();
    await expect(remote.pair()).rejects.toThrow('Access from a phone is off');
  });

  test.each([
    ['without user verification', { isUserVerified: false }],
    ['of another site', { rpId: 'evil.example' }],
    ['made on a page of another origin', { origin: 'https://evil.example' }],
    ['made on a page without TLS', { origin: 'http://relay.example.org' }],
  ])('takes no passkey %s', async (_, wrong) => {
    verifies('REMOTE-PASSKEY');
    const attempt = { code: await newCode(), attempt: ATTEMPT };
    const options = await remote.registrationOptions(attempt, site);
    const credential = createAuthenticator().create(options, { ...there, ...wrong });
    await expect(remote.register({ ...attempt, name: 'A', credential }, site)).rejects.toThrow(
      'not accepted',
    );
    expect(await remote.devices()).toEqual([]);
  });

  test('takes no passkey for the challenge of another pairing, or of a sign-in', async () => {
    verifies('REMOTE-PASSKEY');
    const other = { code: await newCode(), attempt: ATTEMPT };
    const attempt = { code: await newCode(), attempt: ATTEMPT };
    await remote.registrationOptions(attempt, site);
    for (const options of [
      await remote.registrationOptions(other, site),
      await remote.signInOptions(site),
      { challenge: 'bm90IG91cnM' },
    ]) {
      const credential = createAuthenticator().create(options, there);
      await expect(remote.register({ ...attempt, name: 'A', credential }, site)).rejects.toThrow(
        'not accepted',
      );
    }
  });
});

describe('a passkey', () => {
  test('is refused when its assertion is replayed, even at the same moment', async () => {
    verifies('REMOTE-PASSKEY');
    const phone = createAuthenticator();
    await pair(phone);
    const assertion = phone.get(await remote.signInOptions(site), there);
    const both = await Promise.all([1, 2].map(() => remote.signIn(assertion, site)));
    expect(both.filter((device) => device !== null)).toHaveLength(1);
    expect(await remote.signIn(assertion, site)).toBeNull();
  });

  test('is refused when its counter does not rise, because it may be a copy', async () => {
    verifies('REMOTE-PASSKEY');
    const phone = createAuthenticator();
    const { id } = await pair(phone, { counter: 7 });
    expect(await signInWith(phone, { counter: 8 })).toBe(id);
    for (const counter of [8, 7, 0]) expect(await signInWith(phone, { counter })).toBeNull();
    expect(logged).toEqual(Array(3).fill({ reason: 'counter' }));
    expect(await signInWith(phone, { counter: 9 })).toBe(id);
  });

  test.each([
    ['without user verification', { isUserVerified: false }],
    ['for another site', { rpId: 'evil.example' }],
    ['on a page of another origin', { origin: 'https://evil.example' }],
  ])('is refused %s', async (_, wrong) => {
    verifies('REMOTE-PASSKEY');
    const phone = createAuthenticator();
    await pair(phone);
    expect(await signInWith(phone, wrong)).toBeNull();
  });

  test('is refused with another key, for a challenge that is not ours, and too late', async () => {
    verifies('REMOTE-PASSKEY');
    const phone = createAuthenticator();
    await pair(phone);
    const options = await remote.signInOptions(site);
    const forged = createAuthenticator().get(options, there);
    const { id, rawId } = phone.get(options, there);
    expect(await remote.signIn({ ...forged, id, rawId }, site)).toBeNull();
    expect(await remote.signIn(forged, site)).toBeNull();
    expect(await remote.signIn(phone.get({ challenge: 'bm90IG91cnM' }, there), site)).toBeNull();
    const late = phone.get(options, there);
    later(2 * 60_000);
    expect(await remote.signIn(late, site)).toBeNull();
  });

  test('is refused at another address, also if Relay answers there', async () => {
    verifies('REMOTE-PASSKEY');
    const phone = createAuthenticator();
    await pair(phone);
    const other = { host: 'other.example.org', origin: 'https://other.example.org' };
    const ceremony = { origin: other.origin, rpId: other.host };
    const assertion = phone.get(await remote.signInOptions(other), ceremony);
    expect(await remote.signIn(assertion, other)).toBeNull();
  });
});

describe('a device', () => {
  const soon = () => new Date(Date.now() + 600_000);
  const isSignedIn = async (hash: string) =>
    (await signIn.findDeviceSession(hash, new Date(), new Date(Date.now() - 60_000))) !== null;

  test('is signed out at once when it is removed, and its passkey is refused', async () => {
    verifies('REMOTE-DEVICES');
    const [phone, other] = [createAuthenticator(), createAuthenticator()];
    const [mine, kept] = [await pair(phone), await pair(other)];
    expect([mine.name, kept.name]).toEqual(['iPhone', 'iPhone 2']);
    for (const authenticator of [phone, other]) {
      const device = await signInWith(authenticator);
      await signIn.addSession(authenticator.id, soon(), HOME_OWNER, device ?? undefined);
    }
    expect(await remote.remove('iPhone')).toMatchObject({ id: mine.id });
    expect(await isSignedIn(phone.id)).toBe(false);
    expect(await isSignedIn(other.id)).toBe(true);
    expect(await signInWith(phone)).toBeNull();
    expect(await remote.devices()).toMatchObject([{ id: kept.id }]);
    await expect(remote.remove('iPhone')).rejects.toThrow('There is no device named iPhone.');
  });

  test('is signed out when the address changes or is turned off, and stays paired', async () => {
    verifies('REMOTE-DEVICES');
    const phone = createAuthenticator();
    const { id } = await pair(phone);
    const changes = [
      () => remote.enable('https://other.example.org'),
      () => remote.disable(),
    ] as const;
    for (const change of changes) {
      const device = await signInWith(phone);
      await signIn.addSession(
        `${phone.id}${now.getTime()}`,
        soon(),
        HOME_OWNER,
        device ?? undefined,
      );
      await change();
      expect(await isSignedIn(`${phone.id}${now.getTime()}`)).toBe(false);
      expect(await remote.devices()).toMatchObject([{ id }]);
      later(1_000);
    }
  });
});

test.each([
  ['relay.example.org', 'it is not an address'],
  ['http://relay.example.org', 'it does not begin with https://'],
  ['https://relay.example.org/console', 'it has more than a host'],
  ['https://me@relay.example.org', 'it has more than a host'],
  ['https://192.168.1.5', 'passkeys need a host name'],
  ['https://[::1]', 'passkeys need a host name'],
  ['https://localhost:8443', 'passkeys need a host name'],
  ['https://relay.localhost', 'passkeys need a host name'],
])('refuses %s as the address for phones', (origin, why) => {
  expect(() => parseRemoteOrigin(origin)).toThrow(why);
});

test('takes the address as people write it', () => {
  expect(parseRemoteOrigin(' https://Relay.Example.org/ ')).toBe('relay.example.org');
  expect(parseRemoteOrigin('https://relay.example.org:443')).toBe('relay.example.org');
  expect(parseRemoteOrigin('https://box.tail1234.ts.net:8443')).toBe('box.tail1234.ts.net:8443');
});
