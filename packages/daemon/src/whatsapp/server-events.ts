// Turns what the server reports about our messages, people and groups into transport events.
// Invariant: a receipt is acknowledged once its status is stored; anything else that is lost with the process is
// reported again or not needed.
import type { MessageId } from '@relay/contract/ids';
import type { GroupInfo, TransportEvent } from '@relay/core/ports/transport';
import {
  type BinaryNode,
  type Contact,
  type GroupMetadata,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type WASocket,
} from '@whiskeysockets/baileys';
import { personJids, userOfJid } from './addresses.ts';
import { LIVE_STANZA } from './inbound/read-message.ts';
import { type AckWaiters, readAck } from './outbound/send.ts';

interface ServerEventDeps {
  readonly socket: WASocket;
  readonly acks: AckWaiters;
  readonly groups: GroupCache;
  readonly own: () => readonly string[];
  readonly now: () => Date;
  /** Resolves to whether the event was handled. */
  readonly tell: (event: TransportEvent) => Promise<boolean>;
  readonly onRefused: (code: number) => void;
}

export function followServerEvents(deps: ServerEventDeps): void {
  followReceipts(deps);
  followPeople(deps);
  followGroups(deps);
}

function followReceipts({ acks, now, onRefused, own, socket, tell }: ServerEventDeps): void {
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
  // Baileys acknowledges a receipt on arrival, and then the server never sends it again. So we acknowledge it only once
  // it is stored.
  const acknowledge = socket.ws.listeners('CB:receipt');
  socket.ws.removeAllListeners('CB:receipt');
  socket.ws.on('CB:receipt', async (node: BinaryNode) => {
    const ticks = readReceipt(node, own(), now());
    const writes = ticks?.ids.map((id) => {
      const { at, chat, status } = ticks;
      return tell({ type: 'receipt', id: id as MessageId, chat, status, at });
    });
    const written = await Promise.all(writes ?? []);
    if (written.every((dealt) => dealt)) for (const handle of acknowledge) handle(node);
  });
}

function followPeople({ socket, tell }: ServerEventDeps): void {
  const learn = (...jids: (string | null | undefined)[]) => {
    const addresses = personJids(jids);
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

function followGroups({ groups, socket, tell }: ServerEventDeps): void {
  // Only known groups are refreshed.
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

// Follows the replay of what waited while the account was offline: the server announces a number, sends everything at
// once and ends with a stanza. The replay is over when the last of it was also read, which Baileys does in its own
// time.

const BATCH = 100;
/** Listeners are not notified of every single message. */
const TOLD_EVERY = 20;
const NEXT_BATCH: BinaryNode = {
  tag: 'ib',
  attrs: {},
  content: [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }],
};

interface ReplayDeps {
  readonly socket: WASocket;
  /** Without progress for this long the replay counts as over. */
  readonly patienceMs: number;
  readonly onWaiting: (left: number) => void;
  readonly onOver: (count: number) => void;
}

export function followReplay({ onOver, onWaiting, patienceMs, socket }: ReplayDeps): () => void {
  const unread = new Set<string>();
  let total = 0;
  let came = 0;
  let left = 0;
  let count = 0;
  let closed = false;
  let over = false;
  let timer: NodeJS.Timeout | undefined;

  const finish = () => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    onOver(count);
  };
  const progress = () => {
    if (over) return;
    clearTimeout(timer);
    timer = setTimeout(finish, patienceMs);
    if (closed && unread.size === 0) finish();
  };
  socket.ws.on('CB:ib,,offline_preview', (node: BinaryNode) => {
    const { count, message = count } = getBinaryNodeChild(node, 'offline_preview')?.attrs ?? {};
    total = numberOf(count);
    left = numberOf(message);
    if (left > 0) onWaiting(left);
    progress();
  });
  // Baileys lets live messages overtake the replay and each other. In the queue that it keeps for the replay they are
  // handled one by one.
  socket.ws.prependListener('CB:message', ({ attrs }: BinaryNode) => {
    attrs.offline ??= LIVE_STANZA;
  });
  socket.ws.on('CB:message', ({ attrs }: BinaryNode) => {
    if (over || attrs.offline === LIVE_STANZA || attrs.id === undefined) return;
    if (attrs.category !== 'peer') count += 1;
    unread.add(attrs.id);
    left = Math.max(0, left - 1);
    if (left % TOLD_EVERY === 0) onWaiting(left);
    progress();
  });
  // Baileys asks for the first hundred and never again; the server may wait to be asked.
  socket.ws.on('frame', (node: Partial<BinaryNode>) => {
    if (closed || node.attrs?.offline === undefined) return;
    came += 1;
    if (came % BATCH === 0 && came < total) socket.sendNode(NEXT_BATCH).catch(() => undefined);
  });
  socket.ws.on('CB:ib,,offline', () => {
    closed = true;
    progress();
  });
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { key } of messages) if (key.id) unread.delete(key.id);
    progress();
  });
  timer = setTimeout(finish, patienceMs);
  return () => {
    over = true;
    clearTimeout(timer);
  };
}

const numberOf = (text: string | undefined): number => Number(text ?? 0) || 0;

// Reads the receipts for our messages. They are read from the stanzas, because Baileys hides some of them in other
// events.
// Invariant: receipts of the account's own devices say nothing about others.

interface ReceiptUpdate {
  readonly ids: readonly string[];
  readonly chat: string;
  readonly status: 'delivered' | 'read';
  readonly at: Date;
}

const STATUS_BY_TYPE: Readonly<Partial<Record<string, ReceiptUpdate['status']>>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  played: 'read',
};

export function readReceipt(
  node: BinaryNode,
  own: readonly string[],
  now: Date,
): ReceiptUpdate | null {
  const { from, id, participant, recipient, t, type = '' } = node.attrs;
  const status = Object.hasOwn(STATUS_BY_TYPE, type) ? STATUS_BY_TYPE[type] : undefined;
  if (status === undefined || from === undefined || id === undefined) return null;
  // With a recipient it is one of our own devices, reporting what it did with others' messages.
  if (recipient !== undefined || own.includes(userOfJid(participant ?? from))) return null;
  const items = getBinaryNodeChildren(getBinaryNodeChild(node, 'list'), 'item');
  const more = items.flatMap(({ attrs }) => attrs.id ?? []);
  const seconds = Number(t);
  const at = Number.isSafeInteger(seconds) && seconds > 0 ? new Date(seconds * 1_000) : now;
  return { ids: [...new Set([id, ...more])], chat: from, status, at };
}

// Caches members and names of groups, so that a send need not ask the server again.
// Invariant: bounded, and an entry is dropped when the server says that its group changed.

const MAX_GROUPS = 500;

export function toGroupInfo(metadata: GroupMetadata): GroupInfo {
  const expiresAfterS = metadata.ephemeralDuration ?? 0;
  return {
    address: metadata.id,
    subject: metadata.subject ?? '',
    members: metadata.participants.map(({ admin, id, lid, phoneNumber }) => ({
      addresses: personJids([id, lid, phoneNumber]),
      role: admin ? 'admin' : 'member',
    })),
    expiresAfterS: expiresAfterS > 0 ? expiresAfterS : null,
  };
}

export class GroupCache {
  readonly #known = new Map<string, GroupMetadata>();
  readonly #onGroup: (group: GroupInfo) => void;

  constructor(onGroup: (group: GroupInfo) => void) {
    this.#onGroup = onGroup;
  }

  get(jid: string): GroupMetadata | undefined {
    return this.#known.get(jid);
  }

  put(metadata: GroupMetadata): void {
    this.#known.delete(metadata.id);
    this.#known.set(metadata.id, metadata);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_GROUPS && oldest !== undefined) this.#known.delete(oldest);
    this.#onGroup(toGroupInfo(metadata));
  }

  /** Asks the server unless the group is known. Null for a group that the account is not in. */
  async find(jid: string, socket: WASocket): Promise<GroupMetadata | null> {
    const known = this.#known.get(jid);
    if (known) return known;
    const metadata = await socket.groupMetadata(jid).catch((error: unknown) => {
      if (isServerRefusal(error)) return null;
      throw error;
    });
    if (metadata) this.put(metadata);
    return metadata;
  }

  /** The server said that the group changed: drops the entry and asks again. */
  async changed(jid: string, socket: WASocket): Promise<void> {
    this.#known.delete(jid);
    await this.find(jid, socket);
  }

  clear(): void {
    this.#known.clear();
  }
}

/** An IQ that the server answered with an error, as opposed to one that it never answered. */
const isServerRefusal = (error: unknown): boolean =>
  typeof (error as { data?: unknown } | null)?.data === 'number';
