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

test('a member reads a group message of its sender, and refuses one that was changed', async () => {
  const group = '120363000000000001@g.us';
  const ann = new SignalEndpoint();
  const bob = new SignalEndpoint();
  const { distribution, bytes } = await ann.encryptForGroup(group, ANN, Buffer.from('hello'));
  await bob.learnSenderKey(group, ANN, distribution);
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(changed.length - 70) ^ 1, changed.length - 70);
  await expect(bob.decryptFromGroup(group, ANN, changed)).rejects.toThrow('Invalid signature!');
  expect(Buffer.from(await bob.decryptFromGroup(group, ANN, bytes)).toString()).toBe('hello');
});
