// A message of an observed group, in the router's transaction: what the noise filter says of it, what that
// spares, and whether it names the assistant. No model is asked and nothing is said here.
import { estimateTokens } from '@relay/core/agent/tokens';
import type { ChatId, MessageId } from '@relay/core/ids';
import { type AnswerReason, answerRow } from '@relay/core/ledger/answers';
import type { LedgerRow } from '@relay/core/ledger/detail';
import { judge } from '@relay/core/observer/noise/judge';
import { LOOKS_BACK } from '@relay/core/observer/noise/talk';
import { termsOf } from '@relay/core/observer/options';
import { ASKED_WITHIN_MS, isTooOld } from '@relay/core/observer/patience';
import { addressIn } from '@relay/core/observer/trigger/address';
import type { Work } from '../../jobs/work.ts';
import { ownAddresses } from '../../store/account.ts';
import { letGoOf, putVerdict } from '../../store/observer/buffer.ts';
import { type ObservedGroup, observedGroup } from '../../store/observer/groups.ts';
import {
  messageAt,
  messageNamed,
  messagesBefore,
  type ReadMessage,
} from '../../store/observer/messages.ts';
import { dropRequest, putRequest } from '../../store/observer/requests.ts';
import { addUsage } from '../../store/observer/usage.ts';
import { expectDigest } from './digest/watch.ts';
import type { HearingWorld } from './work.ts';

const EVER = new Date(0);

export interface HeardMessage {
  readonly id: MessageId;
  readonly number: number;
  readonly chat: ChatId;
  readonly sentAt: Date;
}

/** What is to be written down about it, behind its route. */
export async function hearInGroup(
  world: HearingWorld,
  work: Work,
  place: HeardMessage,
): Promise<readonly LedgerRow[]> {
  const { tx } = work;
  const { account } = world.lease;
  const reader = { account, admins: world.admins };
  const group = await observedGroup(tx, account, place.chat);
  const heard = await messageAt(tx, reader, place);
  if (group === null || heard === null) return [];
  const before = await messagesBefore(tx, reader, place, LOOKS_BACK);
  await keep(world, work, group, heard, before);
  if (heard.replaces !== null) await forget(world, work, place.chat, heard.replaces);
  // Whatever hour the other message was in, its digest is to be looked at.
  await expectDigest(world, work, group, heard.replaces === null ? heard.message.at : EVER);
  return noteAddress(world, work, group, heard, place);
}

async function keep(
  { lease: { account } }: HearingWorld,
  { tx }: Work,
  { chat, zone }: ObservedGroup,
  { number, message }: ReadMessage,
  before: readonly ReadMessage[],
): Promise<void> {
  const verdict = judge(
    message,
    before.map((each) => each.message),
  );
  const tokens = estimateTokens(message.text);
  const place = { chat, number, sentAt: message.at };
  const fresh = await putVerdict(tx, account, { ...place, verdict, tokens });
  if (!fresh) return;
  const counted = verdict.noise ? { cut: 1, saved: tokens } : { kept: 1 };
  await addUsage(tx, account, { chat, zone, at: message.at }, counted);
}

/** What was taken back or written anew leaves the buffer, and asks for nothing any more. */
async function forget(
  { lease: { account } }: HearingWorld,
  { tx }: Work,
  chat: ChatId,
  number: number,
): Promise<void> {
  await letGoOf(tx, account, { chat, number });
  await dropRequest(tx, account, { chat, number }, 'taken_back');
}

async function noteAddress(
  world: HearingWorld,
  work: Work,
  group: ObservedGroup,
  heard: ReadMessage,
  place: HeardMessage,
): Promise<readonly LedgerRow[]> {
  const { message } = heard;
  // What was asked is asked once: a change of it is none of its own.
  if (message.replaces !== null || !(await isAddress(world, work, group, heard))) return [];
  const { account } = world.lease;
  const silence = silenceAbout(world, heard);
  const request = await putRequest(work.tx, account, place, silence);
  if (request === null) return [];
  if (silence === null) {
    const { chat } = group;
    await world.jobs.enqueue(work.tx, 'trigger', [
      { key: `${account}:${chat}`, data: { account, subject: request } },
    ]);
    work.filled.add('trigger');
    return [];
  }
  const { chat, id } = place;
  return [answerRow({ actor: `observer:${chat}`, message: id, reason: silence, detail: { chat } })];
}

async function isAddress(
  { lease: { account }, admins, settings }: HearingWorld,
  { tx }: Work,
  { chat, options }: ObservedGroup,
  { message }: ReadMessage,
): Promise<boolean> {
  const { quotedId } = message;
  const quoted =
    quotedId === null ? null : await messageNamed(tx, { account, admins }, chat, quotedId);
  return (
    addressIn(message, {
      name: termsOf(options, settings.observer).assistantName,
      // Others who name this number name the owner, who may well be its only user.
      jids: message.fromOwner ? await ownAddresses(tx, account) : [],
      isAssistantMessage: (id) => id === quotedId && quoted?.message.fromAssistant === true,
    }) !== null
  );
}

function silenceAbout(world: HearingWorld, { message }: ReadMessage): AnswerReason | null {
  if (!message.fromOwner) return 'not_owner';
  return isTooOld(message.at, world.now(), ASKED_WITHIN_MS) ? 'too_old' : null;
}
