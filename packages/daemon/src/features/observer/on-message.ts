// Handles a message of an observed group in the router's transaction: stores the noise filter's verdict and the tokens
// it saves, and checks whether it addresses the assistant. No model is called and nothing is sent here.

import type { ChatId, MessageId } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import { estimateTokens } from '@relay/core/agent/context-window';
import { type AnswerReason, answerLedgerRow, type LedgerRow } from '@relay/core/ledger/rows';
import { isRequestTooOld, REQUEST_MAX_AGE_MS } from '@relay/core/observer/answering';
import { judgeNoise, NOISE_LOOKBACK } from '@relay/core/observer/noise/judge';
import { effectiveTerms } from '@relay/core/observer/options';
import { findAddress } from '@relay/core/observer/trigger/address';
import type { Clock } from '../../models/agent/clock.ts';
import type { ModelSource } from '../../models/agent/model.ts';
import { readOwnAddresses } from '../../platform/db/account.ts';
import { readObservedGroup, type StoredObservedGroup } from '../../platform/db/observer/groups.ts';
import {
  deleteVerdict,
  type ObservedMessage,
  observedMessageAt,
  observedMessageById,
  observedMessagesBefore,
  putVerdict,
} from '../../platform/db/observer/messages.ts';
import { dropObserverRequest, putObserverRequest } from '../../platform/db/observer/requests.ts';
import { addObserverUsage } from '../../platform/db/observer/runs.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { Job } from '../../platform/jobs/queue-worker.ts';
import { expectDigest } from './digest/due.ts';

const ALL_TIME = new Date(0);

interface GroupMessagePosition {
  readonly id: MessageId;
  readonly number: number;
  readonly chat: ChatId;
  readonly sentAt: Date;
}

/** Returns the ledger rows to write after the route. */
export async function onGroupMessage(
  deps: GroupMessageDeps,
  work: UnitOfWork,
  place: GroupMessagePosition,
): Promise<readonly LedgerRow[]> {
  const { tx } = work;
  const { account } = deps.lease;
  const reader = { account, admins: deps.admins };
  const group = await readObservedGroup(tx, account, place.chat);
  const heard = await observedMessageAt(tx, reader, place);
  if (group === null || heard === null) return [];
  const before = await observedMessagesBefore(tx, reader, place, NOISE_LOOKBACK);
  await storeVerdict(deps, work, group, heard, before);
  if (heard.replacesNumber !== null)
    await forgetReplaced(deps, work, place.chat, heard.replacesNumber);
  // The replaced message may be of any hour, so its digest is checked again.
  await expectDigest(
    deps,
    work,
    group,
    heard.replacesNumber === null ? heard.message.at : ALL_TIME,
  );
  return noteRequest(deps, work, group, heard, place);
}

async function storeVerdict(
  { lease: { account } }: GroupMessageDeps,
  { tx }: UnitOfWork,
  { chat, zone }: StoredObservedGroup,
  { number, message }: ObservedMessage,
  before: readonly ObservedMessage[],
): Promise<void> {
  const verdict = judgeNoise(
    message,
    before.map((each) => each.message),
  );
  const tokens = estimateTokens(message.text);
  const place = { chat, number, sentAt: message.at };
  const fresh = await putVerdict(tx, account, { ...place, verdict, tokens });
  if (!fresh) return;
  const counted = verdict.noise ? { cut: 1, saved: tokens } : { kept: 1 };
  await addObserverUsage(tx, account, { chat, zone, at: message.at }, counted);
}

/** The text of a voice message or a document is known only now, so the message is judged again. */
export async function onMediaUnderstood(
  deps: GroupMessageDeps,
  work: UnitOfWork,
  { chat, number, sentAt }: Omit<GroupMessagePosition, 'id'>,
): Promise<void> {
  const { tx } = work;
  const { account } = deps.lease;
  const reader = { account, admins: deps.admins };
  const group = await readObservedGroup(tx, account, chat);
  if (group === null) return;
  // Without a verdict it was not judged yet, or it left the buffer.
  const place = { chat, number, sentAt };
  const heard = await observedMessageAt(tx, reader, place);
  if (heard?.verdict == null) return;
  // Noise is read as a placeholder only, so the words are read once it is no longer judged.
  await deleteVerdict(tx, account, { chat, number });
  const message = (await observedMessageAt(tx, reader, place))?.message ?? heard.message;
  const before = await observedMessagesBefore(tx, reader, place, NOISE_LOOKBACK);
  // From here on it has words like a text: that it was a recording or a file says nothing about them.
  const verdict = judgeNoise(
    { ...message, kind: 'text' },
    before.map((each) => each.message),
  );
  await putVerdict(tx, account, { ...place, verdict, tokens: estimateTokens(message.text) });
  await expectDigest(deps, work, group, message.at);
}

/** A deleted or edited message leaves the buffer, and its request is dropped. */
async function forgetReplaced(
  { lease: { account } }: GroupMessageDeps,
  { tx }: UnitOfWork,
  chat: ChatId,
  number: number,
): Promise<void> {
  await deleteVerdict(tx, account, { chat, number });
  await dropObserverRequest(tx, account, { chat, number }, 'taken_back');
}

async function noteRequest(
  deps: GroupMessageDeps,
  work: UnitOfWork,
  group: StoredObservedGroup,
  heard: ObservedMessage,
  place: GroupMessagePosition,
): Promise<readonly LedgerRow[]> {
  const { message } = heard;
  // An edit is not a new request.
  if (message.replaces !== null || !(await isAddressedToAssistant(deps, work, group, heard)))
    return [];
  const { account } = deps.lease;
  const silence = silenceReasonFor(deps, heard);
  const request = await putObserverRequest(work.tx, account, place, silence);
  if (request === null) return [];
  if (silence === null) {
    const { chat } = group;
    await deps.jobs.enqueue(work.tx, 'trigger', [
      { key: `${account}:${chat}`, data: { account, subject: request } },
    ]);
    work.afterCommit.push(() => deps.jobs.wake('trigger'));
    return [];
  }
  const { chat, id } = place;
  return [
    answerLedgerRow({ actor: `observer:${chat}`, message: id, reason: silence, detail: { chat } }),
  ];
}

async function isAddressedToAssistant(
  { lease: { account }, admins, settings }: GroupMessageDeps,
  { tx }: UnitOfWork,
  { chat, options }: StoredObservedGroup,
  { message }: ObservedMessage,
): Promise<boolean> {
  const { quotedId } = message;
  const quoted =
    quotedId === null ? null : await observedMessageById(tx, { account, admins }, chat, quotedId);
  return (
    findAddress(message, {
      name: effectiveTerms(options, settings.observer).assistantName,
      // Others who mention this number mean the owner, who may be its only user.
      jids: message.fromOwner ? await readOwnAddresses(tx, account) : [],
      isAssistantMessage: (id) => id === quotedId && quoted?.message.fromAssistant === true,
    }) !== null
  );
}

function silenceReasonFor(
  deps: GroupMessageDeps,
  { message }: ObservedMessage,
): AnswerReason | null {
  if (!message.fromOwner) return 'not_owner';
  return isRequestTooOld(message.at, deps.now(), REQUEST_MAX_AGE_MS) ? 'too_old' : null;
}

// Dependencies of the observer. None of them can send: what deserves an answer becomes a job for another feature.

export interface GroupMessageDeps extends Engine {
  readonly settings: Pick<Settings, 'observer'>;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
}

export interface ObserverDeps extends GroupMessageDeps {
  readonly settings: Pick<Settings, 'observer' | 'agent'>;
  readonly models: ModelSource;
  readonly clock: Clock;
}

export type TriggerJob = Pick<Job<'trigger'>, 'data' | 'complete'>;
