// Logs in a linked companion: identifies it, delivers its queue and, at first, the phone's initial data. Invariant: a
// companion is identified by its Noise key; a second login replaces the first.
import { type proto, S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { Companion, CompanionConnection } from '../people/companions.ts';
import { ownerJid } from '../people/model.ts';
import { node, type Stanza, seconds } from '../wire/nodes.ts';
import {
  type CompanionSession,
  EMPTY_ANSWER,
  type IqHandlers,
  type NetworkContext,
} from './context.ts';

const REPLACED = node('stream:error', {}, [node('conflict', { type: 'replaced' })]);

type LoginResult = { session: CompanionSession } | { refusal: Stanza };

export function logIn(
  payload: proto.IClientPayload,
  noiseKey: Buffer,
  connection: CompanionConnection,
  deps: NetworkContext,
): LoginResult {
  const account = deps.directory.byPhone(String(payload.username));
  const companion = account?.companions.get(payload.device ?? 0);
  if (!account || !companion?.noiseKey.equals(noiseKey)) return refuse(401);
  const { refuseLogin } = deps.faults.current;
  if (refuseLogin !== undefined) return refuse(refuseLogin);

  const former = companion.connection;
  former?.finish(REPLACED);
  companion.connection = connection;
  companion.listening = false;
  companion.replayed.clear();
  companion.logins += 1;
  if (former !== undefined) deps.events.emit('replaced', { account, device: companion.id });
  connection.send(
    node('success', {
      t: seconds(),
      lid: ownerJid(account, 'lid', companion.id),
      props: '27',
      location: 'sim',
      creation: seconds(),
      display_name: account.name,
    }),
  );
  const routing = node('routing_info', {}, Buffer.from('sim-route'));
  connection.send(node('ib', { from: S_WHATSAPP_NET }, [node('edge_routing', {}, [routing])]));
  return { session: { account, companion, askedAgain: new Set() } };
}

function refuse(reason: number): LoginResult {
  return { refusal: node('failure', { reason: String(reason), location: 'sim' }) };
}

/** Sends everything that was not acknowledged, oldest first, when the companion asks for it. */
export function replayOffline(
  { account, companion }: CompanionSession,
  deps: NetworkContext,
  batch: Stanza | undefined,
): void {
  const { connection } = companion;
  if (!batch || companion.listening) return;
  const most = deps.faults.current.offlineBatches ? Number(batch.attrs.count) : Infinity;
  const waiting = companion.pending.filter((stanza) => !companion.replayed.has(stanza));
  const sent = companion.replayed.size;
  waiting.slice(0, most).forEach((stanza, index) => {
    const { tag, attrs, content } = stanza;
    companion.replayed.add(stanza);
    connection?.send(node(tag, { ...attrs, offline: String(sent + index) }, content));
  });
  if (waiting.length > most) return;
  const count = String(companion.replayed.size);
  connection?.send(node('ib', { from: S_WHATSAPP_NET }, [node('offline', { count })]));
  companion.listening = true;
  deps.events.emit('online', { account, device: companion.id });
  if (companion.logins > 1) return;
  account.welcome(companion).catch((error: unknown) => deps.events.emit('failure', error));
}

export function logOut(
  { account, companion }: CompanionSession,
  connection: CompanionConnection,
  deps: NetworkContext,
): void {
  if (companion.connection !== connection) return;
  companion.connection = undefined;
  companion.listening = false;
  deps.events.emit('offline', { account, device: companion.id });
}

// Handles stanzas about the companion's own connection: it is active, passive or leaving. Invariant: nothing is
// delivered before the companion has asked for it.

/** Announces how much is queued; the client then asks for it. */
function preview({ connection, pending }: Companion): void {
  const count = (tag: string) => String(pending.filter((stanza) => stanza.tag === tag).length);
  const offline = node('offline_preview', {
    count: String(pending.length),
    message: count('message'),
    receipt: count('receipt'),
    notification: count('notification'),
    appdata: '0',
  });
  connection?.send(node('ib', { from: S_WHATSAPP_NET }, [offline]));
}

export const sessionHandlers: IqHandlers = {
  'passive/set/active': ({ companion }) => ({ after: () => preview(companion) }),
  'passive/set/passive': ({ companion }) => {
    companion.listening = false;
    return EMPTY_ANSWER;
  },
  'md/set/remove-companion-device': ({ account, companion }) => ({
    after: () => account.unlink(companion.id),
  }),
};
