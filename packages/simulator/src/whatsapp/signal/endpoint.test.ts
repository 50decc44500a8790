import { expect, test } from 'vitest';
import { type Ciphertext, muteLibsignal, type SignalAddress, SignalEndpoint } from './endpoint.ts';

const ANN: SignalAddress = { person: 'ann', device: 0 };
const BOB: SignalAddress = { person: 'bob', device: 0 };

muteLibsignal();

const write = (from: SignalEndpoint, to: SignalAddress, text: string) =>
  from.encrypt(to, Buffer.from(text));

async function read(by: SignalEndpoint, from: SignalAddress, { bytes, type }: Ciphertext) {
  return Buffer.from(await by.decrypt(from, type, bytes)).toString();
}

test('a late message of an old session leaves the new session unchanged', async () => {
  const ann = new SignalEndpoint();
  const bob = new SignalEndpoint();
  await ann.startSession(BOB, bob.bundle());
  await read(bob, ANN, await write(ann, BOB, 'hello'));
  await read(ann, BOB, await write(bob, ANN, 'hello back'));

  const late = await write(ann, BOB, 'on the old one');
  await ann.startSession(BOB, bob.bundle());
  expect(await read(bob, ANN, await write(ann, BOB, 'on the new one'))).toBe('on the new one');
  expect(await read(bob, ANN, late)).toBe('on the old one');
  const answer = await write(bob, ANN, 'answered on the new one');
  expect(await read(ann, BOB, answer)).toBe('answered on the new one');
});
