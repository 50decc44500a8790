// What must hold after every interleaving: each guarantee is a function that yields a sentence per violation.

import { isTerminal, type NonTerminalState } from '@relay/contract/conversation/states';
import { holdsContact } from '@relay/core/conversation/transition';
import { TRANSITION_TABLE } from '@relay/core/conversation/transition-table';
import type { Evidence, InstanceSeen, LineSeen } from './evidence.ts';
import type { CommittedTransaction } from './scheduler.ts';

export function faultsOf(evidence: Evidence): string[] {
  return [
    ...onePlace(evidence),
    ...evidence.instances.flatMap((instance) => [
      ...shape(instance),
      ...log(evidence, instance),
      ...read(evidence, instance),
    ]),
    ...heard(evidence),
    ...saidOnce(evidence),
    ...overtaken(evidence),
    ...nothingAfter(evidence),
    ...quiet(evidence),
  ];
}

function* onePlace({ instances }: Evidence): Generator<string> {
  const holders = instances.filter((one) =>
    holdsContact({ ...one, previousState: one.previous_state as NonTerminalState | null }),
  );
  if (holders.length > 1) yield `${holders.length} conversations hold one contact`;
  const queued = instances.some(({ state }) => state === 'QUEUED');
  if (holders.length === 0 && queued) yield 'one waits in the queue of a contact that is free';
}

/** The contact wrote after it had ended; the owner decides whether it continues. */
const isAfterTheEnd = ({ state, previous_state }: InstanceSeen): boolean =>
  state === 'NEEDS_HUMAN_INTERVENTION' && previous_state !== null && isTerminal(previous_state);

function* shape(one: InstanceSeen): Generator<string> {
  const hasPrevious = one.state === 'PAUSED' || isAfterTheEnd(one);
  if (hasPrevious !== (one.previous_state !== null)) {
    yield `${one.state} with previous_state ${one.previous_state}`;
  }
  if (one.follow_up_count > one.max_followups + 1) yield `${one.follow_up_count} follow-ups`;
  if ((one.state === 'WAITING_FOR_REPLY') !== (one.timer_due_at !== null)) {
    yield `${one.state} with its timer at ${one.timer_due_at}`;
  }
  if (one.state === 'WAITING_FOR_REPLY' && one.unread > 0) {
    yield 'it waits for a reply that is there';
  }
}

function* log({ steps }: Evidence, { id, state }: InstanceSeen): Generator<string> {
  let at = 'CREATED';
  for (const { from_state, to_state, trigger } of steps.filter((one) => one.instance_id === id)) {
    if (from_state !== at) yield `logged from ${from_state} when it was ${at}`;
    const target = TRANSITION_TABLE[from_state][trigger];
    // A resumed conversation may go from the queue straight to its turn.
    const legal =
      target === to_state ||
      (target === 'previous' && !isTerminal(to_state)) ||
      (target === 'asked' && to_state === 'NEEDS_HUMAN_INTERVENTION');
    if (!legal) yield `${from_state} → ${to_state} by ${trigger} is no edge`;
    at = to_state;
  }
  if (at !== state) yield `${state}, but its log ends in ${at}`;
}

const said = (lines: readonly LineSeen[], role: LineSeen['role']) =>
  lines.filter((line) => line.role === role).map(({ content }) => content);

/** Each line of the contact was given to a turn as unread, or is still counted as unread. */
function* read(evidence: Evidence, instance: InstanceSeen): Generator<string> {
  const { id, state, unread } = instance;
  const { lines, turns, done } = evidence;
  const theirs = said(
    lines.filter((line) => line.instance_id === id),
    'contact',
  );
  const shown = turns
    .filter(({ context }) => context.instance === id)
    .map(({ context }) => context.transcript.filter(({ role }) => role === 'contact').length);
  const seen = Math.max(0, ...shown);
  // What an ended conversation had not read stays unread; a late reply counts from there.
  const isCounted = !isTerminal(state) && !isAfterTheEnd(instance);
  if (isCounted && theirs.length - seen !== unread) {
    yield `${theirs.length} lines of the contact, ${seen} seen by a turn, ${unread} counted unread`;
  }
  // An overtaken turn answered nothing: what it had read is read again.
  const answered = turns
    .filter(({ context }) => context.instance === id && done.has(context.run))
    .flatMap(({ context }) => {
      const contact = context.transcript.filter(({ role }) => role === 'contact');
      return contact.slice(contact.length - context.unread).map(({ content }) => content);
    });
  const missed = theirs.filter((text) => !answered.includes(text));
  if (state === 'WAITING_FOR_REPLY' && missed.length > 0) yield `never answered: ${missed}`;
}

function* heard({ lines, wrote, knocks }: Evidence): Generator<string> {
  const theirs = said(lines, 'contact');
  const known = wrote.filter((text) => theirs.includes(text));
  if (theirs.join() !== known.join()) yield `heard [${theirs}], written [${wrote}]`;
  if (theirs.length + knocks !== wrote.length) {
    yield `${wrote.length} written, ${theirs.length} heard, ${knocks} stored without a conversation`;
  }
}

/** The agent said nothing twice, and every message has exactly one line. */
function* saidOnce({ lines, outbox, turns, left }: Evidence): Generator<string> {
  for (const [body, rows] of Map.groupBy(outbox, (row) => row.body)) {
    if (rows.length > 1) yield `permitted ${rows.length} times: ${body}`;
  }
  for (const [body, all] of Map.groupBy(left, (one) => one.body)) {
    if (all.length > 1) yield `left ${all.length} times: ${body}`;
  }
  const wanted = new Set(turns.flatMap(({ outcome }) => outcome.messages));
  for (const body of said(lines, 'agent')) if (!wanted.has(body)) yield `nobody wanted: ${body}`;
  const linked = lines.flatMap(({ outbox_id }) => (outbox_id === null ? [] : [outbox_id]));
  if (
    linked.toSorted().join() !==
    outbox
      .map(({ id }) => id)
      .toSorted()
      .join()
  ) {
    yield 'transcript and outbox do not say the same';
  }
}

const commitsOf = ({ commits }: Evidence, operation: string): CommittedTransaction[] =>
  commits.filter(({ name }) => name.startsWith(operation));

/** A follow-up that the contact's reply overtook is not sent. */
function* overtaken(evidence: Evidence): Generator<string> {
  // A farewell ends the conversation: later messages of the contact reach no turn of it.
  const followUps = evidence.turns.filter(
    ({ context, outcome }) => context.purpose === 'follow_up' && outcome.endReason === undefined,
  );
  for (const { asked, outcome } of followUps) {
    for (const { body, began } of evidence.left) {
      if (!outcome.messages.includes(body)) continue;
      const replies = commitsOf(evidence, 'heard');
      if (replies.some(({ committed }) => asked < committed && committed < began)) {
        yield `left although the contact had replied: ${body}`;
      }
    }
  }
}

const ENDINGS = [
  ['cancel', 'cancel'],
  ['takeover', 'owner_takeover'],
  ['pause', 'pause'],
] as const;

/** After a cancel nothing is sent; after a takeover and during a pause nothing of the agent. */
function* nothingAfter(evidence: Evidence): Generator<string> {
  const agents = new Set(evidence.turns.flatMap(({ outcome }) => outcome.messages));
  const back = commitsOf(evidence, 'resume');
  for (const [verb, trigger] of ENDINGS) {
    if (!evidence.steps.some((step) => step.trigger === trigger)) continue;
    for (const { committed } of commitsOf(evidence, verb)) {
      for (const { body, began, instance } of evidence.left) {
        const ours = instance === evidence.instances[0]?.id && agents.has(body);
        const resumed = back.some((one) => committed < one.committed && one.began < began);
        if (ours && committed < began && !resumed) yield `left after a ${verb}: ${body}`;
      }
    }
  }
}

const RESTING = ['WAITING_FOR_REPLY', 'PAUSED', 'NEEDS_HUMAN_INTERVENTION', 'QUEUED'];

/** Nothing runs, and nothing waits for something that will never come. */
function* quiet({ instances, jobs, timers }: Evidence): Generator<string> {
  for (const { name, state } of jobs) yield `a job of ${name} is ${state}`;
  for (const { state } of instances) {
    if (!isTerminal(state) && !RESTING.includes(state)) yield `${state}, and nobody is at work`;
  }
  const set = instances.filter((one) => one.timer_due_at !== null);
  const wanted = set.map(({ id, epoch }) => `${id} ${epoch}`);
  const there = timers.map(({ subject_id, epoch }) => `${subject_id} ${epoch}`);
  if (wanted.toSorted().join() !== there.toSorted().join()) {
    yield `timers [${there}], conversations that wait [${wanted}]`;
  }
}
