import { describe, expect, test } from 'vitest';
import { Mailbox, type MailboxArrival } from './mailbox.ts';
import type { DeviceOwner } from './model.ts';

const person = (phone: string): DeviceOwner => ({
  phone,
  lid: `1${phone}`,
  name: phone,
  knownAs: 'both',
  devices: () => [],
  device: () => undefined,
  noteReceipt: () => undefined,
});

const me = person('1');
const bob = person('2');
const at = new Date(0);

function arrival(id: string, text: string | undefined, author = bob): MailboxArrival {
  const content = text === undefined ? undefined : { conversation: text };
  return { id, chat: bob, author, at, addressing: 'lid', content };
}

describe('the mailbox of a recipient', () => {
  test('shows an id once and counts its second delivery as a duplicate', () => {
    const mailbox = new Mailbox(me);
    expect(mailbox.add(arrival('A', 'hello')).duplicate).toBe(false);
    expect(mailbox.add(arrival('A', 'hello')).duplicate).toBe(true);
    expect(mailbox.all()).toHaveLength(1);
    expect(mailbox.counts()).toEqual({ distinct: 1, duplicates: 1, undecryptable: 0 });
  });

  test('treats the same id of another author as another message', () => {
    const mailbox = new Mailbox(me);
    mailbox.add(arrival('A', 'hello'));
    mailbox.add(arrival('A', 'hello', person('3')));
    expect(mailbox.counts()).toEqual({ distinct: 2, duplicates: 0, undecryptable: 0 });
  });

  test('counts a message as undecryptable until it is resent', () => {
    const mailbox = new Mailbox(me);
    expect(mailbox.add(arrival('A', undefined)).message.status).toBe('undecryptable');
    expect(mailbox.counts()).toEqual({ distinct: 0, duplicates: 0, undecryptable: 1 });
    expect(mailbox.add(arrival('A', 'hello')).duplicate).toBe(false);
    expect(mailbox.counts()).toEqual({ distinct: 1, duplicates: 0, undecryptable: 0 });
  });

  test('counts an undecryptable copy of a decrypted message as a duplicate, not a loss', () => {
    const mailbox = new Mailbox(me);
    mailbox.add(arrival('A', 'hello'));
    expect(mailbox.add(arrival('A', undefined)).duplicate).toBe(true);
    expect(mailbox.find('A')?.text).toBe('hello');
    expect(mailbox.counts()).toEqual({ distinct: 1, duplicates: 1, undecryptable: 0 });
  });

  test('never lowers ticks, also when they come before the message', () => {
    const mailbox = new Mailbox(me);
    mailbox.noteReceipt('A', bob.phone, 'read');
    mailbox.noteReceipt('A', bob.phone, 'delivered');
    expect(mailbox.add(arrival('A', 'mine', me)).message.status).toBe('read');
    expect(mailbox.add(arrival('B', 'mine', me)).message.status).toBe('sent');
    expect(mailbox.counts().distinct).toBe(0);
  });

  test('marks a chat as read once', () => {
    const mailbox = new Mailbox(me);
    mailbox.add(arrival('A', 'hello'));
    mailbox.add(arrival('B', undefined));
    expect(mailbox.markRead(bob).map(({ id }) => id)).toEqual(['A']);
    expect(mailbox.markRead(bob)).toEqual([]);
    expect(mailbox.find('A')?.status).toBe('read');
  });
});
