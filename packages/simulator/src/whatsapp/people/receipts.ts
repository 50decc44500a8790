// Sends a receipt to the author's devices, from a handset or from a companion. Invariant: the author's own record of
// ticks changes only here.
import { node, type Stanza, seconds } from '../wire/nodes.ts';
import {
  type Addressing,
  type Device,
  deviceJid,
  isGroupChat,
  type ReceiptKind,
  type SimulatedChat,
} from './model.ts';

interface ReceiptDelivery {
  id: string;
  /** Absent means delivered. */
  type?: string | undefined;
  from: Device;
  to: Device;
  /** The group, or the sender of the receipt. */
  chat: SimulatedChat;
  addressing: Addressing;
  content?: Stanza[] | undefined;
}

function kindOf(type: string | undefined): ReceiptKind | undefined {
  if (type === undefined || type === 'inactive') return 'delivered';
  return type === 'read' || type === 'played' ? 'read' : undefined;
}

export function deliverReceipt(receipt: ReceiptDelivery): void {
  const { addressing, chat, content, from, id, to, type } = receipt;
  const sender = deviceJid(from, addressing);
  const kind = kindOf(type);
  if (kind) to.owner.noteReceipt(id, from.owner, kind);
  const place = isGroupChat(chat) ? { from: chat.jid, participant: sender } : { from: sender };
  to.deliver({
    stanza: node('receipt', { id, type, t: seconds(), ...place }, content),
    sender: from,
    chat,
    addressing,
  });
}
