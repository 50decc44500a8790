import { createSecretKey, randomBytes } from 'node:crypto';
import type { AccountId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aesSealer } from './sealer.ts';

const newSealer = () => aesSealer(createSecretKey(randomBytes(32)));
const sealer = newSealer();
const anyBytes = fc.uint8Array({ maxLength: 300 });

test('a sealed value can be opened under its name', () => {
  fc.assert(
    fc.property(fc.string(), anyBytes, (name, plain) => {
      return Buffer.from(plain).equals(sealer.open(name, sealer.seal(name, plain)));
    }),
  );
});

test('a sealed value with any single bit changed does not open', () => {
  fc.assert(
    fc.property(anyBytes, fc.nat(), fc.integer({ min: 0, max: 7 }), (plain, at, bit) => {
      const sealed = sealer.seal('a', plain);
      const place = at % sealed.length;
      sealed[place] = (sealed[place] ?? 0) ^ (1 << bit);
      expect(() => sealer.open('a', sealed)).toThrow();
    }),
  );
});

test('a sealed value that is truncated or extended does not open', () => {
  const sealed = sealer.seal('a', randomBytes(64));
  for (let length = 0; length < sealed.length; length++) {
    expect(() => sealer.open('a', sealed.subarray(0, length))).toThrow();
  }
  expect(() => sealer.open('a', Buffer.concat([sealed, Buffer.alloc(1)]))).toThrow();
});

test('a sealed value does not open under another name or with another key', () => {
  const sealed = sealer.seal('key/1/1/a', Buffer.from('x'));
  expect(() => sealer.open('key/1/1/b', sealed)).toThrow();
  expect(() => newSealer().open('key/1/1/a', sealed)).toThrow();
});

test('sealing the same value repeatedly gives different results', () => {
  const seen = new Set<string>();
  for (let times = 0; times < 2_000; times++) {
    seen.add(Buffer.from(sealer.seal('a', new Uint8Array(4))).toString('hex', 1, 13));
  }
  expect(seen.size).toBe(2_000);
});

test('a MAC is equal for the same text and key, and different for any other', () => {
  const mac = Buffer.from(sealer.mac('permit'));
  expect(mac).toHaveLength(32);
  expect(Buffer.from(sealer.mac('permit'))).toEqual(mac);
  expect(Buffer.from(sealer.mac('permit '))).not.toEqual(mac);
  expect(Buffer.from(newSealer().mac('permit'))).not.toEqual(mac);
});

test('what is sealed for an account opens with the key of that account alone', () => {
  verifies('ACCOUNT-KEYS');
  const [first, second] = [sealer.forAccount(1 as AccountId), sealer.forAccount(2 as AccountId)];
  const sealed = first.seal('a', Buffer.from('x'));
  expect(first.open('a', sealed)).toEqual(Buffer.from('x'));
  expect(() => second.open('a', sealed)).toThrow();
  expect(() => sealer.open('a', sealed)).toThrow();
  expect(() =>
    newSealer()
      .forAccount(1 as AccountId)
      .open('a', sealed),
  ).toThrow();
});

test('what was sealed with the home’s key opens for its accounts too', () => {
  verifies('ACCOUNT-KEYS');
  const sealed = sealer.seal('a', Buffer.from('x'));
  expect(sealer.forAccount(1 as AccountId).open('a', sealed)).toEqual(Buffer.from('x'));
});
