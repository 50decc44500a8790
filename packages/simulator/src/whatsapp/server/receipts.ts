// A receipt from a companion: takes the message off its queue and goes on to the author's devices.
// Invariant: a stanza leaves the queue only by an acknowledgement of the companion itself.
import { jidDecode } from '@whiskeysockets/baileys';
import type { Device } from '../people/model.ts';
import { deliverReceipt } from '../people/receipts.ts';
import { attr, child, children, node, type Stanza } from '../wire/nodes.ts';
import type { ServerWorld, Session } from './world.ts';

/** Ticks are told to all devices of the author; everything else is between two devices. */
const TICKS = new Set([undefined, 'inactive', 'read', 'played']);

export function routeReceipt(stanza: Stanza, session: Session, world: ServerWorld): void {
  const { companion } = session;
  const { participant, type, to } = stanza.attrs;
  const id = attr(stanza, 'id');
  const more = children(child(stanza, 'list'), 'item').map((item) => attr(item, 'id'));
  for (const one of [id, ...more]) companion.acknowledge('message', one);
  if (type === 'retry') session.askedAgain.add(id);
  companion.link?.send(node('ack', { class: 'receipt', id, from: to, type, participant }));
  // Of a message of its own Baileys confirms without an addressee where it knows no LID: nobody is told.
  if (to === undefined) return;

  const author = participant ?? to;
  const addressing = jidDecode(author)?.server === 'lid' ? 'lid' : 'pn';
  const chat = world.directory.group(to) ?? session.account;
  for (const device of addressees(author, type, world)) {
    if (device === companion) continue;
    for (const one of [id, ...more]) {
      const content = one === id && Array.isArray(stanza.content) ? stanza.content : undefined;
      deliverReceipt({ id: one, type, from: companion, to: device, chat, addressing, content });
    }
  }
}

/** Baileys also refuses what it asked to have again; by then the new one may wait under the same id. */
export function routeAck(stanza: Stanza, { askedAgain, companion }: Session): void {
  const id = attr(stanza, 'id');
  if (stanza.attrs.error !== undefined && askedAgain.delete(id)) return;
  companion.acknowledge(attr(stanza, 'class'), id);
}

function addressees(author: string, type: string | undefined, world: ServerWorld): Device[] {
  if (TICKS.has(type) && !jidDecode(author)?.device) {
    return world.directory.person(author)?.devices() ?? [];
  }
  const device = world.directory.device(author);
  return device ? [device] : [];
}
