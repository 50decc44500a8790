// Turns finished work into spans. Each agent turn is one trace; a message without a turn is a trace of its own. Pure.
// Invariant: spans contain only ids, times, counts and words of `vocabulary.ts`.

import { createHash } from 'node:crypto';
import {
  type FinishedWork,
  isGateDecision,
  type TracedDecision,
  type TracedMessage,
  type TracedTurn,
} from './finished-work.ts';
import {
  actionWord,
  actorWord,
  agentWord,
  answerWord,
  modelWord,
  outboxStateWord,
  outcomeWord,
  providerWord,
  reasonWord,
  runStateWord,
  stopWord,
  toolWord,
  uuidWord,
} from './vocabulary.ts';

export function makeSpans(work: FinishedWork): OtlpSpan[] {
  const runs = new Set(work.turns.map(({ id }) => id));
  const alone = work.messages.filter(({ run }) => run === null || !runs.has(run));
  return [...work.turns.flatMap((turn) => spansOfTurn(turn, work)), ...alone.flatMap(aloneSpans)];
}

function spansOfTurn(turn: TracedTurn, work: FinishedWork): OtlpSpan[] {
  const trace = traceIdOf(turn.id);
  const root = rootOf(trace);
  const messages = work.messages.filter(({ run }) => run === turn.id);
  const rows = work.decisions.filter(({ run }) => run === turn.id);
  const decisions = new Map<number, TracedDecision>(
    [...rows.filter(isGateDecision), ...messages.map(({ decision }) => decision)].map((row) => [
      row.seq,
      row,
    ]),
  );
  const answer = rows.findLast((row) => !isGateDecision(row))?.reason;
  const from = new Date(Math.min(+(turn.heardAt ?? turn.startedAt), +turn.startedAt));
  const to = latestOf(turn.endedAt, ...messages.map(endOf));
  const agent = agentWord(turn.actor);
  const failed = turn.state === 'failed';
  return [
    makeSpan({
      trace,
      id: root,
      parent: null,
      name: 'relay.turn',
      from,
      to,
      failed,
      attributes: {
        'relay.run.id': uuidWord(turn.id),
        'relay.actor': agent,
        'relay.chat.id': uuidWord(turn.chat),
        'relay.conversation.id': uuidWord(turn.conversation),
        'relay.answer': answer === undefined ? null : answerWord(answer),
      },
    }),
    ...(turn.heardAt === null ? [] : [waitSpan(trace, root, from, turn.startedAt)]),
    modelSpan(turn, trace, root, agent),
    ...toolSpans(turn, work, trace),
    ...[...decisions.values()].map((decision) => gateSpan(decision, trace, root)),
    ...messages.map((message) => deliverSpan(message, trace, root)),
  ];
}

/**
 * A message without a turn, or one that came after its turn was sent, as after an approval; then it joins that trace.
 */
function aloneSpans(message: TracedMessage): OtlpSpan[] {
  const trace = traceIdOf(message.run ?? message.id);
  const root = rootOf(trace);
  const parts = [gateSpan(message.decision, trace, root), deliverSpan(message, trace, root)];
  if (message.run !== null) return parts;
  const attributes = messageAttributes(message);
  const from = message.createdAt;
  const failed = message.state === 'failed';
  const name = 'relay.message';
  const to = endOf(message);
  return [
    makeSpan({ trace, id: root, parent: null, name, from, to, failed, attributes }),
    ...parts,
  ];
}

const rootOf = (trace: string): string => spanIdOf(trace, 'root', trace);

const waitSpan = (trace: string, parent: string, from: Date, to: Date): OtlpSpan =>
  makeSpan({
    ...{ trace, id: spanIdOf(trace, 'wait', trace), parent, name: 'relay.wait', from, to },
    attributes: {},
  });

const modelIdOf = (trace: string): string => spanIdOf(trace, 'model', trace);

function modelSpan(turn: TracedTurn, trace: string, parent: string, agent: string): OtlpSpan {
  const failed = turn.state === 'failed';
  return makeSpan({
    trace,
    id: modelIdOf(trace),
    parent,
    name: `invoke_agent ${agent}`,
    from: turn.startedAt,
    to: turn.endedAt,
    failed,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.provider.name': turn.provider === null ? null : providerWord(turn.provider),
      'gen_ai.request.model': turn.model === null ? null : modelWord(turn.model),
      'gen_ai.usage.input_tokens': turn.inputTokens,
      'gen_ai.usage.output_tokens': turn.outputTokens,
      'relay.steps': turn.steps,
      'relay.run.state': runStateWord(turn.state),
      'error.type': failed ? 'failed' : null,
    },
  });
}

/** A tool call is stored when it is done, so it has only one time. */
const toolSpans = (turn: TracedTurn, { calls }: FinishedWork, trace: string): OtlpSpan[] =>
  calls
    .filter(({ run }) => run === turn.id)
    .map(({ call, name, at }) => {
      const tool = toolWord(name);
      return makeSpan({
        trace,
        id: spanIdOf(trace, 'tool', call),
        parent: modelIdOf(trace),
        name: `execute_tool ${tool}`,
        from: at,
        to: at,
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool },
      });
    });

const gateSpan = (
  { seq, at, action, outcome, reason }: TracedDecision,
  trace: string,
  parent: string,
): OtlpSpan =>
  makeSpan({
    trace,
    id: spanIdOf(trace, 'decision', seq),
    parent,
    name: 'relay.gate',
    from: at,
    to: at,
    attributes: {
      'relay.gate.action': actionWord(action),
      'relay.gate.outcome': outcomeWord(outcome),
      'relay.gate.reason': reasonWord(reason),
    },
  });

function deliverSpan(message: TracedMessage, trace: string, parent: string): OtlpSpan {
  const failed = message.state === 'failed';
  return makeSpan({
    trace,
    id: spanIdOf(trace, 'outbox', message.id),
    parent,
    name: 'relay.deliver',
    kind: SPAN_KIND_PRODUCER,
    from: message.createdAt,
    to: endOf(message),
    failed,
    events: {
      'relay.attempted': message.attemptedAt,
      'relay.delivered': receiptAt(message, message.deliveredAt),
      'relay.read': receiptAt(message, message.readAt),
    },
    attributes: {
      ...messageAttributes(message),
      'relay.outbox.state': outboxStateWord(message.state),
      'relay.outbox.attempts': message.attempts,
      'error.type': failed ? stopWord(message.stop?.reason ?? 'failed') : null,
    },
  });
}

/** WhatsApp's times are whole seconds, which may be before the moment of sending. */
const receiptAt = (message: TracedMessage, at: Date | null): Date | null =>
  at === null ? null : latestOf(endOf(message), at);

const messageAttributes = ({
  id,
  actor,
  chat,
  conversation,
  schedule,
}: TracedMessage): SpanAttributes => ({
  'relay.outbox.id': uuidWord(id),
  'relay.actor': actorWord(actor),
  'relay.chat.id': uuidWord(chat),
  'relay.conversation.id': uuidWord(conversation),
  'relay.schedule.id': uuidWord(schedule),
});

/** When it was sent, or the last time it was known not to be. */
function endOf({ createdAt, attemptedAt, sentAt, stop }: TracedMessage): Date {
  const end = sentAt ?? (stop === null ? attemptedAt : new Date(stop.at));
  return latestOf(createdAt, end ?? createdAt);
}

// Spans in OTLP's JSON: ids in hexadecimal, times and integers as strings. Ids are derived from the subject of a span,
// so that a span that is sent again is the same. Pure.

/** Values are words, counts or null. */
type SpanAttributes = Readonly<Record<string, string | number | null>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

interface OtlpSpanEvent {
  readonly timeUnixNano: string;
  readonly name: string;
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events?: readonly OtlpSpanEvent[];
  readonly status?: { readonly code: number };
}

const SPAN_KIND_INTERNAL = 1;
/** The receiver processes it later. */
const SPAN_KIND_PRODUCER = 4;
const STATUS_ERROR = 2;

const traceIdOf = (uuid: string): string => uuid.replaceAll('-', '');

const spanIdOf = (trace: string, kind: string, id: string | number): string =>
  createHash('sha256').update(`${trace}/${kind}/${id}`).digest('hex').slice(0, 16);

interface NewSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly kind?: number;
  readonly from: Date;
  readonly to: Date;
  readonly attributes: SpanAttributes;
  readonly events?: Readonly<Record<string, Date | null>>;
  readonly failed?: boolean;
}

function makeSpan({ trace, id, parent, name, from, to, ...rest }: NewSpan): OtlpSpan {
  const { kind = SPAN_KIND_INTERNAL, attributes, events = {}, failed = false } = rest;
  const happened = Object.entries(events).flatMap(([event, at]) =>
    at === null ? [] : [{ timeUnixNano: nanos(at), name: event }],
  );
  return {
    traceId: trace,
    spanId: id,
    ...(parent === null ? {} : { parentSpanId: parent }),
    name,
    kind,
    startTimeUnixNano: nanos(from),
    // The database and the daemon set these times, and their clocks may differ.
    endTimeUnixNano: nanos(latestOf(from, to)),
    attributes: toAttributes(attributes),
    ...(happened.length === 0 ? {} : { events: happened }),
    ...(failed ? { status: { code: STATUS_ERROR } } : {}),
  };
}

const latestOf = (one: Date, ...others: readonly Date[]): Date =>
  new Date(Math.max(+one, ...others.map(Number)));

const nanos = (at: Date): string => `${BigInt(+at) * 1_000_000n}`;

const toAttributes = (attributes: SpanAttributes): OtlpAttribute[] =>
  Object.entries(attributes).flatMap(([key, value]): OtlpAttribute[] => {
    if (value === null) return [];
    return typeof value === 'string'
      ? [{ key, value: { stringValue: value } }]
      : [{ key, value: { intValue: String(Math.trunc(value)) } }];
  });

interface TracedHome {
  readonly version: string;
  /** A random id of this home. */
  readonly instance: string;
}

/** The body of one request. */
export const makeExportRequest = (
  { version, instance }: TracedHome,
  spans: readonly OtlpSpan[],
): object => ({
  resourceSpans: [
    {
      resource: {
        attributes: toAttributes({
          'service.name': 'relay',
          'service.version': version,
          'service.instance.id': instance,
        }),
      },
      scopeSpans: [{ scope: { name: 'relay', version }, spans }],
    },
  ],
});
