// Into a handset: decrypts, remembers, answers with receipts, and asks again for what it cannot read.
// Invariant: runs inside the handset's queue; a message is remembered before its receipt leaves.
import { proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import { keyNodes, readBundle, registrationNode } from '../signal/bundle.ts';
import { uint } from '../wire/keys.ts';
import {
  attr,
  bytesOf,
  child,
  children,
  contentOf,
  node,
  type Stanza,
  seconds,
} from '../wire/nodes.ts';
import type { HandsetState } from './handset-state.ts';
import { addressOf, type Delivery, type Device, isGroup } from './model.ts';
import { deliverReceipt } from './receipts.ts';
import { transmit } from './sending.ts';

const MAX_RETRIES = 5;

export async function receiveMessage(handset: HandsetState, delivery: Delivery): Promise<void> {
  const { addressing, chat, sender, stanza } = delivery;
  const author = sender.owner;
  const account = handset.device.owner;
  const id = attr(stanza, 'id');
  const at = new Date(Number(attr(stanza, 't')) * 1000);
  let message: proto.Message | undefined;
  try {
    message = await decrypt(handset, delivery);
  } catch (error) {
    const content = undefined;
    const { duplicate } = handset.mailbox.add({ id, chat, author, at, addressing, content });
    if (duplicate) return;
    handset.events.emit('undecryptable', { account, id, error });
    if (handset.habits.retries) askAgain(handset, delivery);
    return;
  }
  if (!message || stanza.attrs.category === 'peer') return;
  const content = message.deviceSentMessage?.message ?? message;
  const { message: seen } = handset.mailbox.add({ id, chat, author, at, addressing, content });
  if (author !== account) {
    if (handset.habits.receipts) answer(handset, delivery, undefined);
    if (handset.habits.reads) {
      handset.mailbox.markRead(chat);
      answer(handset, delivery, 'read');
    }
  }
  handset.events.emit('message', { account, message: seen });
}

async function decrypt(
  { signal }: HandsetState,
  { chat, sender, stanza }: Delivery,
): Promise<proto.Message | undefined> {
  const address = addressOf(sender);
  let last: proto.Message | undefined;
  for (const enc of children(stanza, 'enc')) {
    const type = attr(enc, 'type');
    const plain =
      type === 'skmsg' && isGroup(chat)
        ? await signal.decryptFromGroup(chat.jid, address, contentOf(enc))
        : await signal.decrypt(address, type, contentOf(enc));
    last = proto.Message.decode(unpadRandomMax16(plain));
    const key = last.senderKeyDistributionMessage;
    if (key?.groupId && key.axolotlSenderKeyDistributionMessage) {
      await signal.learnSenderKey(key.groupId, address, key.axolotlSenderKeyDistributionMessage);
    }
  }
  return last;
}

function answer(
  handset: HandsetState,
  { addressing, chat, sender, stanza }: Delivery,
  type: string | undefined,
  content?: Stanza[],
): void {
  const { device } = handset;
  const place = isGroup(chat) ? chat : device.owner;
  const id = attr(stanza, 'id');
  deliverReceipt({ id, type, from: device, to: sender, chat: place, addressing, content });
}

/** A retry receipt with fresh keys, so that the sender can begin a new session. */
function askAgain(handset: HandsetState, delivery: Delivery): void {
  const id = attr(delivery.stanza, 'id');
  const attempt = (handset.retries.get(id) ?? 0) + 1;
  if (attempt > MAX_RETRIES) return;
  handset.retries.set(id, attempt);
  const bundle = handset.signal.bundle();
  answer(handset, delivery, 'retry', [
    node('retry', { count: String(attempt), id, t: seconds(), v: '1' }),
    registrationNode(bundle),
    node('keys', {}, keyNodes(bundle)),
  ]);
}

/** Somebody could not decrypt what this handset sent. */
export async function resend(handset: HandsetState, stanza: Stanza, asker: Device): Promise<void> {
  const outgoing = handset.sent.get(attr(stanza, 'id'));
  if (!outgoing) return;
  const keys = child(stanza, 'keys');
  if (keys) {
    const bundle = readBundle(keys, uint(bytesOf(stanza, 'registration')));
    handset.signal.forgetSession(addressOf(asker));
    await handset.signal.startSession(addressOf(asker), bundle);
  }
  if (isGroup(outgoing.chat)) handset.senderKeyHolders.get(outgoing.chat.jid)?.delete(asker);
  const retryCount = Number(child(stanza, 'retry')?.attrs.count ?? 1);
  await transmit(handset, outgoing, { only: asker, retryCount });
}
