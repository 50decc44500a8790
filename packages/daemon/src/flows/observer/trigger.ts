// Phase 2 of the trigger: somebody who may ask named the assistant, and one call of a model says whether they
// ask it for something. Whatever is not a clear yes, in time and within the cadence, is silence.
import { trusted } from '@relay/core/agent/labelled';
import { RelayError } from '@relay/core/errors';
import type { RunId } from '@relay/core/ids';
import type { AnswerReason } from '@relay/core/ledger/answers';
import { termsOf } from '@relay/core/observer/options';
import { ASKED_WITHIN_MS, isTooOld } from '@relay/core/observer/patience';
import { readTrigger, type TriggerLabel } from '@relay/core/observer/trigger/answer';
import {
  TRIGGER_MESSAGES,
  type TriggerQuestion,
  triggerPrompt,
} from '@relay/core/observer/trigger/prompt';
import { readsOnly } from '../../agent/reads-only.ts';
import { createAgentSession } from '../../agent/session.ts';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { ownAddresses } from '../../store/account.ts';
import { type ObservedGroup, observedGroup } from '../../store/observer/groups.ts';
import { messageAt, messageNamed, messagesBefore } from '../../store/observer/messages.ts';
import { changeRequest, lockRequest, type RequestRow } from '../../store/observer/requests.ts';
import { beginObserverRun, noteObserverSpent } from '../../store/observer/runs.ts';
import { endRun } from '../../store/runs.ts';
import { rests } from './rests.ts';
import { keepSilent } from './silent.ts';
import type { ObserverWorld, TriggerJob } from './work.ts';

/** Longer than a model needs for a word, shorter than a group waits. */
const TURN_MS = 30_000;

export function onTrigger(world: ObserverWorld) {
  return async (job: TriggerJob, stop: AbortSignal): Promise<void> => {
    const asked = await begin(world, job);
    if (asked === null) return;
    const said = await classify(world, asked, stop);
    await finish(world, job, asked, said);
  };
}

interface Asked {
  readonly group: ObservedGroup;
  readonly run: RunId;
  readonly question: TriggerQuestion;
}

/** Null when there is nothing to think about; the job is settled then. */
function begin(world: ObserverWorld, job: TriggerJob): Promise<Asked | null> {
  return inOneTransaction(world, async (work) => {
    const { account } = world.lease;
    const request = await lockRequest(work.tx, world.lease, job.data.subject);
    const group = request && (await observedGroup(work.tx, account, request.chat_id));
    if (request === null || group === null || request.state !== 'asked') {
      await job.complete(work.tx);
      return null;
    }
    const question = await questionOf(world, work, request, group);
    const silence =
      question === null ? 'taken_back' : await mayNotThink(world, work, request, group);
    if (question === null || silence !== null) {
      await job.complete(work.tx);
      await keepSilent(world, work, request, { reason: silence ?? 'taken_back' });
      return null;
    }
    const run = await beginObserverRun(work.tx, account, group, `observer:${group.chat}`);
    return { group, run, question };
  });
}

/** Why no model is asked at all. */
async function mayNotThink(
  world: ObserverWorld,
  work: Work,
  request: RequestRow,
  group: ObservedGroup,
): Promise<AnswerReason | null> {
  if (isTooOld(request.sent_at, world.now(), ASKED_WITHIN_MS)) return 'too_old';
  return rests(world, work, request, group);
}

async function questionOf(
  { lease: { account }, admins, settings }: ObserverWorld,
  { tx }: Work,
  request: RequestRow,
  { chat, options }: ObservedGroup,
): Promise<TriggerQuestion | null> {
  const reader = { account, admins };
  const place = { chat, number: request.message, sentAt: request.sent_at };
  const heard = await messageAt(tx, reader, place);
  if (heard === null) return null;
  const { message } = heard;
  const before = await messagesBefore(tx, reader, place, TRIGGER_MESSAGES);
  const quoted =
    message.quotedId === null ? null : await messageNamed(tx, reader, chat, message.quotedId);
  return {
    who: {
      name: termsOf(options, settings.observer).assistantName,
      jids: await ownAddresses(tx, account),
    },
    before: before.map((each) => each.message),
    message,
    quoted: quoted?.message ?? null,
  };
}

type Said = { readonly label: TriggerLabel | null } | { readonly failure: AnswerReason };

/** Whatever the model does: what is no label is silence, and only a stop of the daemon is tried anew. */
async function classify(
  world: ObserverWorld,
  { group, run, question }: Asked,
  signal: AbortSignal,
): Promise<Said> {
  const { models, clock, settings, log } = world;
  try {
    const session = createAgentSession({
      model: await models.open(),
      instructions: trusted(''),
      tools: [],
      limits: { ...settings.agent, turn_timeout_ms: TURN_MS },
      clock,
      hooks: {
        signal,
        ...readsOnly(group.chat),
        spent: (spent) => noteObserverSpent(world, group, run, spent),
      },
    });
    const { instructions, text } = triggerPrompt(question, { chats: [group.chat], outside: false });
    return { label: readTrigger((await session.ask(instructions, text)).text) };
  } catch (error) {
    signal.throwIfAborted();
    log.warn('a mention could not be read', { chat: group.chat, run, error });
    const unset = error instanceof RelayError && error.code === 'agent_unavailable';
    return { failure: unset ? 'no_model' : 'model_failed' };
  }
}

function finish(
  world: ObserverWorld,
  job: TriggerJob,
  { group, run }: Asked,
  said: Said,
): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const { account } = world.lease;
    const request = await lockRequest(work.tx, world.lease, job.data.subject);
    await endRun(work.tx, account, run, 'failure' in said ? 'failed' : 'done');
    await job.complete(work.tx);
    // Taken back, or the group is observed no longer: what was found out is of no use.
    if (request === null || request.state !== 'asked') return;
    if ('failure' in said) return keepSilent(world, work, request, { reason: said.failure, run });
    const { label: verdict } = said;
    const reason =
      verdict === 'direct_request'
        ? await rests(world, work, request, group)
        : (verdict ?? 'unclear');
    if (reason !== null) return keepSilent(world, work, request, { reason, run, verdict });
    await changeRequest(work.tx, request, { state: 'answering', verdict });
    await world.jobs.enqueue(work.tx, 'group_answer', [
      { key: `${account}:${group.chat}`, data: { account, subject: request.id } },
    ]);
    work.filled.add('group_answer');
  });
}
