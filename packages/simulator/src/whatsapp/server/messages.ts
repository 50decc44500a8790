// Routes a companion's message: acknowledges it, then delivers it to each device it was encrypted for. Invariant: the
// server never decrypts; it only decides which device gets which ciphertext.
import { jidDecode } from '@whiskeysockets/baileys';
import type { GroupChat } from '../people/group.ts';
import {
  type Addressing,
  alternateJid,
  type Device,
  type DeviceOwner,
  deviceJid,
} from '../people/model.ts';
import { deliverReceipt } from '../people/receipts.ts';
import { attr, child, children, node, type Stanza, seconds } from '../wire/nodes.ts';
import { type CompanionSession, countUnknown, type NetworkContext } from './context.ts';

type Ciphertexts = Map<Device, Stanza[]>;

export function routeMessage(
  stanza: Stanza,
  session: CompanionSession,
  deps: NetworkContext,
): void {
  const { ackError, swallowMessages, withholdAcks } = deps.faults.current;
  if (swallowMessages) return;
  const to = attr(stanza, 'to');
  const error = ackError === undefined ? undefined : String(ackError);
  if (!withholdAcks) {
    const attrs = { class: 'message', id: stanza.attrs.id, from: to, error, t: seconds() };
    session.companion.connection?.send(node('ack', attrs));
  }
  if (error) return;
  const perDevice = ciphertexts(stanza, deps);
  const group = deps.directory.group(to);
  if (group) toGroup(stanza, group, perDevice, session, deps);
  else toPeople(stanza, perDevice, session, deps);
}

function ciphertexts(stanza: Stanza, deps: NetworkContext): Ciphertexts {
  const found: Ciphertexts = new Map();
  for (const recipient of children(child(stanza, 'participants'), 'to')) {
    const jid = attr(recipient, 'jid');
    const device = deps.directory.device(jid);
    if (device) found.set(device, children(recipient, 'enc'));
    else countUnknown(deps, `recipient/${jid}`);
  }
  return found;
}

/** What every copy carries: the sender's name and, for a pkmsg, the sender's device identity. */
function shared(stanza: Stanza, { account }: CompanionSession, { now }: NetworkContext) {
  const { category, edit, id, type } = stanza.attrs;
  const identity = child(stanza, 'device-identity');
  return {
    attrs: { id, t: seconds(now()), type, notify: account.name, category, edit },
    extra: identity ? [identity] : [],
  };
}

function toGroup(
  stanza: Stanza,
  group: GroupChat,
  perDevice: Ciphertexts,
  session: CompanionSession,
  deps: NetworkContext,
): void {
  const { account, companion } = session;
  const { addressing } = group;
  const { attrs, extra } = shared(stanza, session, deps);
  const other = alternateJid(account, addressing);
  const names = {
    from: group.jid,
    participant: deviceJid(companion, addressing),
    addressing_mode: addressing,
    ...(addressing === 'lid' ? { participant_pn: other } : { participant_lid: other }),
  };
  // A resend names the one device that asked for it.
  const only = stanza.attrs.participant;
  const everybody = [...group.members.keys()].flatMap((member) => member.devices());
  const devices = only ? [deps.directory.device(only)] : everybody;
  for (const device of devices) {
    if (!device || device === companion) continue;
    const encs = [...(perDevice.get(device) ?? []), ...children(stanza, 'enc')];
    const copy = node('message', { ...attrs, ...names }, [...encs, ...extra]);
    device.deliver({ stanza: copy, sender: companion, chat: group, addressing });
  }
}

function toPeople(
  stanza: Stanza,
  perDevice: Ciphertexts,
  session: CompanionSession,
  deps: NetworkContext,
): void {
  const { account, companion } = session;
  const to = attr(stanza, 'to');
  const addressing: Addressing = jidDecode(to)?.server === 'lid' ? 'lid' : 'pn';
  const { attrs, extra } = shared(stanza, session, deps);
  // Peer messages and resends are for one device and have their ciphertext at the root.
  const direct = children(stanza, 'enc');
  const addressee = deps.directory.device(to);
  if (direct.length > 0 && addressee) perDevice.set(addressee, direct);
  const person: DeviceOwner = deps.directory.person(to) ?? account;
  const other = alternateJid(account, addressing);
  const names =
    addressing === 'lid' ? { sender_pn: other, addressing_mode: 'lid' } : { sender_lid: other };
  const from = deviceJid(companion, addressing);
  for (const [device, encs] of perDevice) {
    const own = device.owner === account;
    const recipient = own && attrs.category !== 'peer' ? to : undefined;
    const copy = node('message', { ...attrs, from, recipient, ...names }, [...encs, ...extra]);
    device.deliver({ stanza: copy, sender: companion, chat: own ? person : account, addressing });
  }
}

// Routes a companion's receipt: removes the message from its queue and forwards the receipt to the author's devices.
// Invariant: a stanza leaves the queue only when the companion itself acknowledges it.

/** Ticks go to all devices of the author; everything else is between two devices. */
const TICKS = new Set([undefined, 'inactive', 'read', 'played']);

export function routeReceipt(
  stanza: Stanza,
  session: CompanionSession,
  deps: NetworkContext,
): void {
  const { companion } = session;
  const { participant, type, to } = stanza.attrs;
  const id = attr(stanza, 'id');
  const more = children(child(stanza, 'list'), 'item').map((item) => attr(item, 'id'));
  for (const one of [id, ...more]) companion.acknowledge('message', one);
  if (type === 'retry') session.askedAgain.add(id);
  companion.connection?.send(node('ack', { class: 'receipt', id, from: to, type, participant }));
  // For its own message Baileys sends a receipt without an addressee if it knows no LID; it is forwarded to nobody.
  if (to === undefined) return;

  const author = participant ?? to;
  const addressing = jidDecode(author)?.server === 'lid' ? 'lid' : 'pn';
  const chat = deps.directory.group(to) ?? session.account;
  for (const device of addressees(author, type, deps)) {
    if (device === companion) continue;
    for (const one of [id, ...more]) {
      const content = one === id && Array.isArray(stanza.content) ? stanza.content : undefined;
      deliverReceipt({ id: one, type, from: companion, to: device, chat, addressing, content });
    }
  }
}

/** Baileys also refuses what it asked for again; by then the resent one may be queued under the same id. */
export function routeAck(stanza: Stanza, { askedAgain, companion }: CompanionSession): void {
  const id = attr(stanza, 'id');
  if (stanza.attrs.error !== undefined && askedAgain.delete(id)) return;
  companion.acknowledge(attr(stanza, 'class'), id);
}

function addressees(author: string, type: string | undefined, deps: NetworkContext): Device[] {
  if (TICKS.has(type) && !jidDecode(author)?.device) {
    return deps.directory.person(author)?.devices() ?? [];
  }
  const device = deps.directory.device(author);
  return device ? [device] : [];
}
