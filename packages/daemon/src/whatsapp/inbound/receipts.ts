// Ticks: what a receipt stanza says of messages of ours. Read from the wire, because Baileys hides some
// of them in other events. Invariant: receipts of the account's own devices say nothing about others.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
} from '@whiskeysockets/baileys';
import { userOf } from '../addresses.ts';

export interface Ticks {
  readonly ids: readonly string[];
  readonly chat: string;
  readonly status: 'delivered' | 'read';
  readonly at: Date;
}

const STATUS: Readonly<Partial<Record<string, Ticks['status']>>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  played: 'read',
};

export function readReceipt(node: BinaryNode, own: readonly string[], now: Date): Ticks | null {
  const { from, id, participant, recipient, t, type = '' } = node.attrs;
  const status = Object.hasOwn(STATUS, type) ? STATUS[type] : undefined;
  if (status === undefined || from === undefined || id === undefined) return null;
  // With a recipient it is one of our own devices that tells what it did with others' messages.
  if (recipient !== undefined || own.includes(userOf(participant ?? from))) return null;
  const items = getBinaryNodeChildren(getBinaryNodeChild(node, 'list'), 'item');
  const more = items.flatMap(({ attrs }) => attrs.id ?? []);
  const seconds = Number(t);
  const at = Number.isSafeInteger(seconds) && seconds > 0 ? new Date(seconds * 1_000) : now;
  return { ids: [...new Set([id, ...more])], chat: from, status, at };
}
