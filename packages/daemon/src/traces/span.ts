// Rows of finished work as spans. One trace a turn of an agent; a message that no turn wrote is a trace of its own.
// Pure. Invariant: nothing is in it but ids, times, counts and the words of `words.ts`.
import {
  type DecisionRow,
  isDecision,
  type MessageRow,
  type TurnRow,
  type Work,
} from '../store/traces/work.ts';
import {
  type Attributes,
  later,
  PRODUCER,
  type Span,
  spanIdOf,
  spanOf,
  traceIdOf,
} from './otlp.ts';
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
} from './words.ts';

export function spansOf(work: Work): Span[] {
  const runs = new Set(work.turns.map(({ id }) => id));
  const alone = work.messages.filter(({ run }) => run === null || !runs.has(run));
  return [...work.turns.flatMap((turn) => spansOfTurn(turn, work)), ...alone.flatMap(aloneSpans)];
}

function spansOfTurn(turn: TurnRow, work: Work): Span[] {
  const trace = traceIdOf(turn.id);
  const root = rootOf(trace);
  const messages = work.messages.filter(({ run }) => run === turn.id);
  const rows = work.decisions.filter(({ run }) => run === turn.id);
  const decisions = new Map<number, DecisionRow>(
    [...rows.filter(isDecision), ...messages.map(({ decision }) => decision)].map((row) => [
      row.seq,
      row,
    ]),
  );
  const answer = rows.findLast((row) => !isDecision(row))?.reason;
  const from = new Date(Math.min(+(turn.heardAt ?? turn.startedAt), +turn.startedAt));
  const to = later(turn.endedAt, ...messages.map(endOf));
  const agent = agentWord(turn.actor);
  const failed = turn.state === 'failed';
  return [
    spanOf({
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

/** Without a turn; or later than its turn was told, as after an approval, and then in the trace of that. */
function aloneSpans(message: MessageRow): Span[] {
  const trace = traceIdOf(message.run ?? message.id);
  const root = rootOf(trace);
  const parts = [gateSpan(message.decision, trace, root), deliverSpan(message, trace, root)];
  if (message.run !== null) return parts;
  const attributes = placeOf(message);
  const from = message.createdAt;
  const failed = message.state === 'failed';
  const name = 'relay.message';
  const to = endOf(message);
  return [spanOf({ trace, id: root, parent: null, name, from, to, failed, attributes }), ...parts];
}

const rootOf = (trace: string): string => spanIdOf(trace, 'root', trace);

const waitSpan = (trace: string, parent: string, from: Date, to: Date): Span =>
  spanOf({
    ...{ trace, id: spanIdOf(trace, 'wait', trace), parent, name: 'relay.wait', from, to },
    attributes: {},
  });

const modelIdOf = (trace: string): string => spanIdOf(trace, 'model', trace);

function modelSpan(turn: TurnRow, trace: string, parent: string, agent: string): Span {
  const failed = turn.state === 'failed';
  return spanOf({
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

/** A call is written down when it is done: it has one time. */
const toolSpans = (turn: TurnRow, { calls }: Work, trace: string): Span[] =>
  calls
    .filter(({ run }) => run === turn.id)
    .map(({ call, name, at }) => {
      const tool = toolWord(name);
      return spanOf({
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
  { seq, at, action, outcome, reason }: DecisionRow,
  trace: string,
  parent: string,
): Span =>
  spanOf({
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

function deliverSpan(message: MessageRow, trace: string, parent: string): Span {
  const failed = message.state === 'failed';
  return spanOf({
    trace,
    id: spanIdOf(trace, 'outbox', message.id),
    parent,
    name: 'relay.deliver',
    kind: PRODUCER,
    from: message.createdAt,
    to: endOf(message),
    failed,
    events: {
      'relay.attempted': message.attemptedAt,
      'relay.delivered': receiptAt(message, message.deliveredAt),
      'relay.read': receiptAt(message, message.readAt),
    },
    attributes: {
      ...placeOf(message),
      'relay.outbox.state': outboxStateWord(message.state),
      'relay.outbox.attempts': message.attempts,
      'error.type': failed ? stopWord(message.stop?.reason ?? 'failed') : null,
    },
  });
}

/** WhatsApp tells whole seconds, which may lie before the moment it left. */
const receiptAt = (message: MessageRow, at: Date | null): Date | null =>
  at === null ? null : later(endOf(message), at);

const placeOf = ({ id, actor, chat, conversation, schedule }: MessageRow): Attributes => ({
  'relay.outbox.id': uuidWord(id),
  'relay.actor': actorWord(actor),
  'relay.chat.id': uuidWord(chat),
  'relay.conversation.id': uuidWord(conversation),
  'relay.schedule.id': uuidWord(schedule),
});

/** When it left, or when it was last known not to. */
function endOf({ createdAt, attemptedAt, sentAt, stop }: MessageRow): Date {
  const end = sentAt ?? (stop === null ? attemptedAt : new Date(stop.at));
  return later(createdAt, end ?? createdAt);
}
