// Writes the one-sentence explanation of a message for `relay why`.

import { type InstanceState, isTerminal } from '@relay/contract/conversation/states';
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import type { ROUTE_REASONS } from '../router/route.ts';
import {
  lapsedClause,
  quoteName,
  runSuffix,
  shortName,
  timeClause,
  timeWithoutPreposition,
  toClause,
} from './format.ts';
import { ANSWER_REASON_SENTENCES, ANSWER_REASONS, type AnswerReason, stopClause } from './rows.ts';
import type {
  AnswerPart,
  ApprovalAnswer,
  ConversationPart,
  DeliveryFacts,
  InboundStory,
  MessageStory,
  OutboundStory,
  ReaderClock,
} from './story.ts';

export const explainStory = (story: MessageStory, reading: ReaderClock): string =>
  story.way === 'in' ? inboundSentence(story, reading) : outboundSentence(story, reading);

// Explains a received message, or one that the owner typed on a phone. The route says which feature handled it; the
// feature's facts say what happened next.

function inboundSentence(story: InboundStory, reading: ReaderClock): string {
  const { route } = story;
  if (route === null) return 'Waiting: it was received and is not routed yet.';
  if (Object.hasOwn(BY_ROUTE, route.reason)) {
    return BY_ROUTE[route.reason as keyof typeof BY_ROUTE](story, reading);
  }
  const stored = route.outcome === 'ignored' ? 'Ignored' : 'Stored, not answered';
  return `${stored}: ${refusal(route.reason, story)}.`;
}

type SayInbound = (story: InboundStory, reading: ReaderClock) => string;

/** The router's own reasons; the policy's reasons for not reading follow below. */
const BY_ROUTE = {
  own_message: () => 'Ignored because you wrote it.',
  sent_by_relay: () => 'Ignored because Relay sent it.',
  owner_reaction: () => 'You reacted to a message in your own chat.',
  signed_by_relay: () =>
    'Ignored because it ends with the signature of your assistant, so it is not from you.',
  group: ({ place }) => `Stored, not answered: the group ${quoteName(place.name)} is not observed.`,
  observed: inObservedGroup,
  nothing_to_answer: ({ from }) =>
    `Stored, not answered: ${shortName(from)} reacted to a message or changed one, which needs no answer.`,
  owner_takeover: ({ place, conversation }) =>
    `You wrote this to ${shortName(place.name)} yourself, so ${conversation === null ? 'the open conversation' : `the conversation ${quoteName(conversation.objective)}`} was paused.`,
  open_conversation: inConversation,
  late_reply: ({ place, conversation }) =>
    `Handed to ${conversation === null ? 'the conversation' : `the conversation ${quoteName(conversation.objective)}`} with ${shortName(place.name)}, which had already ended.`,
  late_reply_dismissed: ({ place }) =>
    `Stored, not answered: you kept the conversation with ${shortName(place.name)} ended.`,
  to_assistant: ({ answer }, reading) =>
    answerSentence(
      { who: 'your assistant', because: 'because it came from your own number', may: '' },
      answer,
      reading,
    ),
  readable_contact: ({ place, answer }, reading) =>
    answerSentence(
      {
        who: 'auto-reply',
        because: `because your grant for ${shortName(place.name)} allowed reading`,
        may: ' and replies',
      },
      answer,
      reading,
    ),
} as const satisfies Record<keyof typeof ROUTE_REASONS, SayInbound>;

function refusal(reason: string, { place }: InboundStory): string {
  const name = shortName(place.name);
  const request = place.kind === 'group' ? '' : '; it was counted as a message request';
  switch (reason) {
    case 'no_grant':
      return `${name} had no grant${request}`;
    case 'no_read_grant':
      return `your grant for ${name} did not allow reading${request}`;
    case 'unresolved_identity':
      return 'it was not certain who wrote it';
    default:
      return Object.hasOwn(REASONS, reason)
        ? `${toClause(REASONS[reason as ReasonCode].sentence)}${request}`
        : `the recorded reason is ${reason}`;
  }
}

// Explains a message that went to a conversation: whether its agent has read it, and what it answered.

function inConversation({ place, conversation }: InboundStory, reading: ReaderClock): string {
  const name = shortName(place.name);
  if (conversation === null) return `Handed to the conversation with ${name} that was open then.`;
  return `Handed to the conversation ${quoteName(conversation.objective)} with ${name}${whatFollowed(conversation, reading)}.`;
}

function whatFollowed(conversation: ConversationPart, reading: ReaderClock): string {
  const { run, answers, approval } = conversation;
  if (run === null) return `, ${unread(conversation)}`;
  const by = runSuffix(run);
  switch (run.state) {
    case 'running':
      return `, whose agent${by} is working on it`;
    case 'failed':
      return `, whose agent${by} failed to answer it`;
    case 'discarded':
      return `, ${unread(conversation)}`;
    case 'done': {
      const last = answers.at(-1);
      if (last !== undefined) {
        const what =
          answers.length === 1 ? 'the answer' : `the last of its ${answers.length} messages`;
        return `, whose agent${by} read it and answered; ${deliveryClause(what, last, reading)}`;
      }
      if (approval !== null) return `, whose agent${by} read it and ${asked(approval, reading)}`;
      return `, whose agent${by} read it and did not answer`;
    }
  }
}

/** Why no agent has read it. */
function unread({ state }: ConversationPart): string {
  if (state === 'PAUSED') return 'which is paused, so its agent has not read it';
  if (isTerminal(state as InstanceState)) return 'which ended before its agent read it';
  if (state === 'NEEDS_HUMAN_INTERVENTION')
    return 'which is waiting for you, so its agent has not read it';
  return 'whose agent has not read it yet';
}

function asked(approval: ApprovalAnswer, reading: ReaderClock): string {
  const { state, decidedAt } = approval;
  const time = decidedAt === null ? '' : ` ${timeClause(decidedAt, reading)}`;
  switch (state) {
    case 'pending':
      return 'wrote an answer that needs your approval (`relay approvals`)';
    case 'approved':
      return `wrote an answer that you approved${time}`;
    case 'rejected':
      return `wrote an answer that you declined${time}`;
    case 'expired':
      return `wrote an answer, and ${lapsedClause(approval)}`;
    case 'gone':
      return 'wrote an answer that was never approved';
  }
}

// Explains a message of an observed group: read without an answer, or, if it names the assistant, why it was answered
// or not.

/** Decided before an answer was considered. */
const SILENT: ReadonlySet<string> = new Set<AnswerReason>([
  'not_owner',
  'mention_only',
  'false_positive',
  'unclear',
  'cadence',
  'taken_back',
  'on_hold',
  'too_old',
]);

function inObservedGroup({ place, answer }: InboundStory, reading: ReaderClock): string {
  const group = `the group ${quoteName(place.name)}`;
  const reason = answer?.reason ?? null;
  if (answer === null || reason === null) {
    return `Read silently, because you observe ${group}.`;
  }
  if (SILENT.has(reason)) {
    const why = toClause(ANSWER_REASON_SENTENCES[reason as AnswerReason]);
    return `Read silently, because you observe ${group}, and not answered: ${why}.`;
  }
  const because = `because you asked it in ${group}`;
  return answerSentence({ who: 'your assistant', because, may: '' }, answer, reading);
}

// Explains what auto-reply or the assistant did with a message. The ledger's last row about the message decides the
// case; runs, approvals and the outbox provide the rest.

interface Answerer {
  readonly who: 'auto-reply' | 'your assistant';
  /** Why the message was routed there. */
  readonly because: string;
  /** What else the same grant allowed, if the answer was sent. */
  readonly may: string;
}

type Part = AnswerPart & { readonly why: AnswerReason; readonly reading: ReaderClock };

function answerSentence(
  answerer: Answerer,
  answer: AnswerPart | null,
  reading: ReaderClock,
): string {
  const { who, because } = answerer;
  const reason = answer?.reason ?? null;
  if (answer === null || reason === null) return notYet(answerer, answer);
  if (!Object.hasOwn(ANSWER_REASONS, reason)) {
    return `Handed to ${who}, ${because}; the recorded result is ${reason}.`;
  }
  const why = reason as AnswerReason;
  const say = ANSWER_REASONS[why].outcome === 'waiting' ? waits : not;
  return (SAY[why] ?? say)(answerer, { ...answer, why, reading });
}

/** Routed, but nothing is decided yet. */
function notYet({ who, because }: Answerer, answer: AnswerPart | null): string {
  const run = answer?.run ?? null;
  return run?.state === 'running'
    ? `Waiting: ${who}${runSuffix(run)} is working on it, ${because}.`
    : `Waiting: it was handed to ${who}, ${because}, and is queued.`;
}

type Say = (answerer: Answerer, part: Part) => string;

const waits: Say = ({ who, because }, part) =>
  `Waiting: it was handed to ${who}, ${because}, and ${said(part)}${again(part)}.`;

/** The answer was not written, or not sent. */
const not: Say = ({ who, because }, part) =>
  `Not answered: it was handed to ${who}${runSuffix(part.run)}, ${because}, but ${said(part)}${refused(part)}.`;

const said = ({ why }: Part): string => toClause(ANSWER_REASON_SENTENCES[why]);

const again = ({ until, reading }: Part): string =>
  until === null ? '' : `; the next attempt is ${timeClause(until, reading)}`;

/** Reasons whose sentence says more than the reason. */
const SAY: Readonly<Partial<Record<AnswerReason, Say>>> = {
  replied: ({ who, because, may }, part) =>
    part.answer?.state === 'failed'
      ? `Not answered: ${who}${runSuffix(part.run)} wrote an answer, ${because}${may}${after(part)}.`
      : `Answered by ${who}${runSuffix(part.run)}, ${because}${may}${after(part)}.`,
  command: ({ who, because }, part) =>
    `Carried out by ${who} as a command, ${because}${after(part) || notNotified(part)}.`,
  interrupted: ({ who, because }, part) =>
    `Answered by ${who}${runSuffix(part.run)}, ${because}, with what it had done before it was interrupted${after(part)}.`,
  failed: ({ who, because }, part) =>
    `Answered by ${who}${runSuffix(part.run)}, ${because}, with the reason why it failed${after(part)}.`,
  draft: drafted,
};

const after = ({ answer, reading }: Part): string =>
  answer === null ? '' : `; ${deliveryClause('the answer', answer, reading)}`;

const notNotified = (part: Part): string =>
  part.refusal === null ? '' : `, but you were not notified${refused(part)}`;

const refused = ({ refusal }: Part): string => {
  if (refusal === null) return '';
  return Object.hasOwn(REASONS, refusal)
    ? `, because ${toClause(REASONS[refusal as ReasonCode].sentence)}`
    : ` (${refusal})`;
};

/** A draft follows its approval. */
function drafted({ who, because, may }: Answerer, part: Part): string {
  const { run, approval, reading } = part;
  const by = `${who}${runSuffix(run)}`;
  const time = approval?.decidedAt ? ` ${timeClause(approval.decidedAt, reading)}` : '';
  switch (approval?.state ?? 'gone') {
    case 'approved':
      return `Answered by ${by}, ${because}${may}, with a draft that you approved${time}${after(part)}.`;
    case 'pending': {
      const last = approval?.expiresAt
        ? ` before ${timeWithoutPreposition(approval.expiresAt, reading)}`
        : '';
      return `Waiting: ${by} drafted an answer, ${because}${may}, and it needs your approval${last} (\`relay approvals\`).`;
    }
    case 'rejected':
      return `Not answered: ${by} drafted an answer, ${because}${may}, and you declined it${time}.`;
    case 'expired':
      return `Not answered: ${by} drafted an answer, ${because}${may}, and ${lapsedClause(approval)}.`;
    case 'gone':
      return `Not answered: ${by} drafted an answer, ${because}${may}, and it was never approved.`;
  }
}

// Explains a message that Relay sent: who caused it, under which permission, with which run, and its delivery state.

function outboundSentence(story: OutboundStory, reading: ReaderClock): string {
  return `${caused(story, reading)}${permitted(story, reading)}; ${deliveryClause('it', story.delivery, reading)}.`;
}

function caused(story: OutboundStory, reading: ReaderClock): string {
  const { actor, conversation, program, run, schedule } = story;
  const to = recipient(story);
  const by = runSuffix(run);
  const within =
    conversation === null ? '' : ` in the conversation ${quoteName(conversation.objective)}`;
  const [kind = '', id = ''] = actor.split(':');
  switch (kind) {
    case 'owner':
      return `You wrote this to ${to}${within}`;
    case 'conversation':
      return conversation === null
        ? `The agent of a deleted conversation${by} wrote this to ${to}`
        : `The agent of the conversation ${quoteName(conversation.objective)}${by} wrote this to ${to}`;
    case 'assistant':
      return `Your assistant${by} wrote this to ${to}${inAnswer(story, reading)}`;
    case 'auto_reply':
      return `Auto-reply${by} wrote this to ${to}${inAnswer(story, reading)}`;
    case 'scheduler':
      return `${schedule === null ? 'A schedule' : `The schedule ${quoteName(schedule.words)}`} sent this to ${to}`;
    case 'notifier':
      return `Relay wrote this to ${to}${story.answers === null ? ' to notify you' : inAnswer(story, reading)}`;
    case 'token':
      return `The client ${program === null ? id.slice(0, 8) : quoteName(program)} wrote this to ${to}`;
    default:
      return `The actor ${shortName(actor)} wrote this to ${to}`;
  }
}

function recipient({ place: { kind, name } }: OutboundStory): string {
  if (kind === 'own') return 'you';
  return kind === 'group' ? `the group ${quoteName(name)}` : shortName(name);
}

const inAnswer = ({ answers, place }: OutboundStory, reading: ReaderClock): string =>
  answers === null
    ? ''
    : ` in answer to ${place.kind === 'direct' ? 'their' : 'your'} message ${timeClause(answers, reading)}`;

/** The permission or approval behind it. */
function permitted(story: OutboundStory, reading: ReaderClock): string {
  const { reason, place, approval } = story;
  switch (reason) {
    case 'owner':
      return ' yourself';
    case 'own_chat':
      return ', which needs no grant';
    case 'standing_grant':
      return `, which your grant for ${place.kind === 'group' ? 'the group' : shortName(place.name)} allowed`;
    case 'conversation_grant':
      return ', which the permission of that conversation allowed';
    case 'scheduled':
      return ', because you agreed to this schedule';
    case 'approved':
      return `, which you ${approval?.edited ? 'edited and approved' : 'approved'}${approval?.decidedAt ? ` ${timeClause(approval.decidedAt, reading)}` : ''}`;
    default:
      return Object.hasOwn(REASONS, reason)
        ? `, because ${toClause(REASONS[reason as ReasonCode].sentence)}`
        : `, for the recorded reason ${reason}`;
  }
}

// Explains an approval in one sentence, without quoting anybody.

interface ApprovalStory extends ApprovalAnswer {
  readonly reason: string;
  readonly delivery: DeliveryFacts | null;
}

export function approvalSentence(asked: ApprovalStory, reading: ReaderClock): string {
  const { state, decidedAt, expiresAt, delivery, withdrawn } = asked;
  const time = decidedAt === null ? '' : ` ${timeClause(decidedAt, reading)}`;
  switch (state) {
    case 'pending': {
      const last = expiresAt === null ? '' : ` until ${timeWithoutPreposition(expiresAt, reading)}`;
      return `Waiting for your approval${last}: ${approvalReasonClause(asked.reason)}.`;
    }
    case 'approved':
      return `You approved it${time}${delivery === null ? '' : `; ${deliveryClause('it', delivery, reading)}`}.`;
    case 'rejected':
      return `You declined it${time}, so it was not done.`;
    case 'expired':
      return withdrawn === null
        ? 'It was not approved in time, so it was not done.'
        : 'It was withdrawn before you answered, so it was not done.';
    case 'gone':
      return 'It was deleted and never approved.';
  }
}

const approvalReasonClause = (reason: string): string =>
  Object.hasOwn(REASONS, reason) ? toClause(REASONS[reason as ReasonCode].sentence) : reason;

// The delivery state of an outbox message, as the end of a sentence.

const QUEUED = {
  hold: ' because sending is on hold',
  paused: ' because its conversation is paused',
} as const;

/** `what` is “it” or “the answer”. */
function deliveryClause(what: string, facts: DeliveryFacts, reading: ReaderClock): string {
  const { state, at, waitsFor } = facts;
  const time = at === null ? '' : ` ${timeClause(at, reading)}`;
  switch (state) {
    case 'pending':
      return `${what} is queued${waitsFor === null ? '' : QUEUED[waitsFor]}`;
    case 'sent':
      return `${what} was sent${time}, and WhatsApp has not confirmed the delivery yet`;
    case 'delivered':
      return `${what} was delivered${time}`;
    case 'read':
      return `${what} was read${time}`;
    case 'unknown':
      return `${what} may or may not have arrived, because WhatsApp did not confirm it`;
    case 'failed':
      return `${what} ${failed(facts)}`;
  }
}

function failed({ stop, failure, inDoubt }: DeliveryFacts): string {
  const doubt = inDoubt ? ', but an earlier attempt may have arrived' : '';
  if (stop !== null) return `was not sent, because ${stopClause(stop)}${doubt}`;
  const why = failure === null ? '' : `: ${toClause(failure)}`;
  return `could not be sent${why}${doubt}`;
}
