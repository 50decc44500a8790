import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, test } from 'vitest';
import { readAck } from '../outbound/send.ts';
import { readReceipt } from '../server-events.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const OWN = ['15550000001', '100000000000001'];
const BOB = '15550000002@s.whatsapp.net';
const receipt = (attrs: Record<string, string>, items: string[] = []): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: 'A1', from: BOB, t: '1700000000', ...attrs },
  ...(items.length > 0 && {
    content: [
      { tag: 'list', attrs: {}, content: items.map((id) => ({ tag: 'item', attrs: { id } })) },
    ],
  }),
});
const read = (attrs: Record<string, string>, items?: string[]) =>
  readReceipt(receipt(attrs, items), OWN, NOW);

describe('a receipt', () => {
  test.each([
    [{}, 'delivered'],
    [{ type: 'inactive' }, 'delivered'],
    [{ type: 'read' }, 'read'],
    [{ type: 'played' }, 'read'],
  ])('%j: %s', (attrs, status) => {
    expect(read(attrs)).toEqual({
      ids: ['A1'],
      chat: BOB,
      status,
      at: new Date(1_700_000_000_000),
    });
  });

  test.each(['retry', 'sender', 'read-self', 'server-error', 'peer_msg', 'constructor'])(
    'of type %s says nothing about a message that was delivered',
    (type) => {
      expect(read({ type })).toBeNull();
    },
  );

  test('counts for all ids that it lists', () => {
    expect(read({ type: 'read' }, ['A2', 'A3'])?.ids).toEqual(['A1', 'A2', 'A3']);
  });

  test('from a member of a group names the group', () => {
    const from = '120363000000000001@g.us';
    expect(read({ from, participant: '100000000000002@lid' })?.chat).toBe(from);
  });

  test.each([
    { from: '15550000001:2@s.whatsapp.net' },
    { from: '120363000000000001@g.us', participant: '100000000000001@lid' },
    { recipient: BOB },
  ])('from a device of the account is ignored: %j', (attrs) => {
    expect(read(attrs)).toBeNull();
  });

  test('without a time gets the present time', () => {
    expect(read({ t: 'x' })?.at).toEqual(NOW);
  });
});

describe('an ack', () => {
  const ack = (attrs: Record<string, string>) => readAck({ tag: 'ack', attrs }, NOW);

  test('says that the message was accepted, or with which code it was refused', () => {
    expect(ack({ id: 'A1', from: BOB, t: '1700000000' })).toEqual({
      id: 'A1',
      chat: BOB,
      error: null,
      at: new Date(1_700_000_000_000),
    });
    expect(ack({ id: 'A1', from: BOB, error: '463' })).toMatchObject({ error: 463, at: NOW });
    expect(ack({ id: 'A1', from: BOB, error: 'odd' })).toMatchObject({ error: 0 });
    expect(ack({ from: BOB })).toBeNull();
  });
});
