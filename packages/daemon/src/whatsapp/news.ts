// What the server tells about messages of ours, people and groups, as events of the port.
// Invariant: a receipt is acknowledged once its ticks are written; what else is lost with the process is
// told again or not needed.
import type { MessageId } from '@relay/core/ids';
import type { TransportEvent } from '@relay/core/ports/transport';
import type { BinaryNode, Contact, WASocket } from '@whiskeysockets/baileys';
import { peopleOf } from './addresses.ts';
import type { GroupCache } from './groups.ts';
import { readReceipt } from './inbound/receipts.ts';
import { type AckWaiters, readAck } from './outbound/acks.ts';

export interface NewsDeps {
  readonly socket: WASocket;
  readonly acks: AckWaiters;
  readonly groups: GroupCache;
  readonly own: () => readonly string[];
  readonly now: () => Date;
  /** Whether it has been dealt with. */
  readonly tell: (event: TransportEvent) => Promise<boolean>;
  readonly onRefused: (code: number) => void;
}

export function followNews(deps: NewsDeps): void {
  followTicks(deps);
  followPeople(deps);
  followGroups(deps);
}

function followTicks({ acks, now, onRefused, own, socket, tell }: NewsDeps): void {
  socket.ws.on('CB:ack,class:message', (node: BinaryNode) => {
    const ack = readAck(node, now());
    if (!ack) return;
    const awaited = acks.settle(ack);
    const id = ack.id as MessageId;
    if (ack.error !== null) {
      onRefused(ack.error);
      if (!awaited) void tell({ type: 'refused', id, code: ack.error });
    } else if (!awaited)
      void tell({ type: 'receipt', id, chat: ack.chat, status: 'sent', at: ack.at });
  });
  // Baileys acknowledges a receipt as soon as it has it, and then the server never tells it again.
  const acknowledge = socket.ws.listeners('CB:receipt');
  socket.ws.removeAllListeners('CB:receipt');
  socket.ws.on('CB:receipt', async (node: BinaryNode) => {
    const ticks = readReceipt(node, own(), now());
    const told = ticks?.ids.map((id) => {
      const { at, chat, status } = ticks;
      return tell({ type: 'receipt', id: id as MessageId, chat, status, at });
    });
    const written = await Promise.all(told ?? []);
    if (written.every((dealt) => dealt)) for (const handle of acknowledge) handle(node);
  });
}

function followPeople({ socket, tell }: NewsDeps): void {
  const learn = (...jids: (string | null | undefined)[]) => {
    const addresses = peopleOf(jids);
    if (addresses.length > 1) void tell({ type: 'aliases', addresses });
  };
  const meet = (contacts: readonly Partial<Contact>[]) => {
    for (const { id, lid, phoneNumber } of contacts) learn(id, lid, phoneNumber);
  };
  socket.ev.on('lid-mapping.update', ({ lid, pn }) => learn(pn, lid));
  socket.ev.on('contacts.upsert', meet);
  socket.ev.on('contacts.update', meet);
  socket.ev.on('messaging-history.set', ({ contacts, lidPnMappings = [] }) => {
    meet(contacts);
    for (const { lid, pn } of lidPnMappings) learn(pn, lid);
  });
}

function followGroups({ groups, socket, tell }: NewsDeps): void {
  // A group nobody asked about need not be asked about now.
  const renew = (jid: string | undefined) => {
    if (jid && groups.get(jid)) groups.changed(jid, socket).catch(() => undefined);
  };
  socket.ev.on('groups.upsert', (list) => {
    for (const group of list) groups.put(group);
  });
  socket.ev.on('groups.update', (list) => {
    const named = list.flatMap(({ id, subject }) =>
      id && subject ? [{ address: id, subject }] : [],
    );
    if (named.length > 0) void tell({ type: 'group_names', groups: named });
    for (const { id } of list) renew(id);
  });
  socket.ev.on('group-participants.update', ({ id }) => renew(id));
}
