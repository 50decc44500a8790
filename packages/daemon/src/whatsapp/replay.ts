// The replay of what waited while the account was away: announced with a number, sent in one go, closed
// with a stanza. It is over when the last of it was read too, which Baileys does in its own time.
import { type BinaryNode, getBinaryNodeChild, type WASocket } from '@whiskeysockets/baileys';
import { CAME_LIVE } from './inbound/envelope.ts';

const BATCH = 100;
/** Whoever watches need not hear of every single one. */
const TOLD_EVERY = 20;
const NEXT_BATCH: BinaryNode = {
  tag: 'ib',
  attrs: {},
  content: [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }],
};

export interface ReplayDeps {
  readonly socket: WASocket;
  /** Without any progress for so long it counts as over. */
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
  // Baileys lets what comes live overtake the replay, and one live message another. Through the queue it
  // keeps for the replay they go one by one.
  socket.ws.prependListener('CB:message', ({ attrs }: BinaryNode) => {
    attrs.offline ??= CAME_LIVE;
  });
  socket.ws.on('CB:message', ({ attrs }: BinaryNode) => {
    if (over || attrs.offline === CAME_LIVE || attrs.id === undefined) return;
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
