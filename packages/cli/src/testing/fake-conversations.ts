// The conversations of the fake daemon, from `<home>/instances.json` and `<home>/transcript.json`. A test may change
// the files at any time: the stream reports every change. Requests are recorded in `<home>/asked.jsonl`.
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEARTBEAT_DEFAULTS } from '@relay/contract/api/constants';
import type { ConversationInstance, TranscriptLine } from '@relay/contract/api/instances';
import { STATE_SENTENCES } from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import {
  type ConversationEventType,
  EVENT_PHRASES,
  TRANSITION_TABLE,
} from '@relay/core/conversation/transition-table';
import { refusalError } from '@relay/core/policy/reasons';

const AT = '2026-11-15T08:00:00.000Z';
const LOOK_MS = 20;

export const instanceOf = (given: Partial<ConversationInstance>): ConversationInstance => {
  const { state = 'WAITING_FOR_REPLY' } = given;
  return {
    id: '1a2b3c4d-0000-4000-8000-000000000001',
    objective: 'Get a quote',
    target_contact: '+491701234567',
    todos: [],
    facts: [],
    state,
    previous_state: null,
    heartbeat_config: HEARTBEAT_DEFAULTS,
    follow_up_count: 0,
    failure_reason: null,
    created_at: AT,
    updated_at: AT,
    next_follow_up_at: null,
    reason: STATE_SENTENCES[state],
    unread: 0,
    chat_id: '1a2b3c4d-0000-4000-8000-000000000003',
    created_by: 'owner',
    ...given,
  };
};

export const lineOf = (given: Partial<TranscriptLine>): TranscriptLine => ({
  id: '1',
  instance_id: '1a2b3c4d-0000-4000-8000-000000000001',
  role: 'agent',
  content: 'Hello',
  timestamp: AT,
  delivery: null,
  message_id: null,
  ...given,
});

function load<Row>(home: string, name: string): Row[] {
  const file = join(home, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

const save = (home: string, name: string, rows: unknown) =>
  writeFileSync(join(home, name), JSON.stringify(rows));

export const waiting = (home: string): number =>
  load<ConversationInstance>(home, 'instances.json').filter(
    ({ state }) => state === 'NEEDS_HUMAN_INTERVENTION',
  ).length;

export function recordRequest(home: string, { method, url }: IncomingMessage, body: unknown): void {
  const asked = `${method} ${url}`;
  appendFileSync(join(home, 'asked.jsonl'), `${JSON.stringify({ asked, body })}\n`);
}

/** Resolves to false when another handler should answer the request. */
export const fakeConversations =
  (home: string) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const url = new URL(request.url ?? '/', 'http://daemon');
    if (url.pathname === '/api/events') {
      void stream(home, response);
      return true;
    }
    if (!url.pathname.startsWith('/api/instances')) return false;
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = text === '' ? null : JSON.parse(text);
    recordRequest(home, request, body);
    const reply = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    try {
      reply(request.method === 'POST' && body?.objective ? 201 : 200, answer(home, url, body));
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      reply(error.status, { error: error.sentence, code: error.code, action: error.action });
    }
    return true;
  };

function answer(home: string, url: URL, body: Record<string, unknown> | null): unknown {
  const instances = load<ConversationInstance>(home, 'instances.json');
  const [, , , id, part] = url.pathname.split('/');
  if (id === undefined) return body === null ? list(instances, url) : create(home, instances, body);
  const found = instances.find((one) => one.id === id);
  if (found === undefined) throw new RelayError('instance_not_found', { id });
  const lines = load<TranscriptLine>(home, 'transcript.json');
  const change = (event: ConversationEventType, to: Partial<ConversationInstance>) => {
    if (!(event in TRANSITION_TABLE[found.state])) {
      const { state } = found;
      throw new RelayError('illegal_transition', { id, state, event: EVENT_PHRASES[event] });
    }
    const changed = instanceOf({
      ...found,
      reason: STATE_SENTENCES[to.state ?? found.state],
      ...to,
    });
    save(
      home,
      'instances.json',
      instances.map((one) => (one.id === id ? changed : one)),
    );
    return changed;
  };
  switch (part) {
    case undefined:
      return found;
    case 'transcript': {
      const after = Number(url.searchParams.get('after') ?? 0);
      return lines.filter((line) => Number(line.id) > after);
    }
    case 'transitions':
      return load(home, 'transitions.json');
    case 'pause':
      return change('pause', { state: 'PAUSED', previous_state: found.state });
    case 'resume':
      return change('resume', { state: found.previous_state ?? 'ACTIVE', previous_state: null });
    case 'cancel':
      return change('cancel', { state: 'FAILED', failure_reason: 'cancelled' });
    case 'send': {
      if (existsSync(join(home, 'refused'))) {
        throw refusalError('hold');
      }
      change('manual_send', { state: found.state === 'PAUSED' ? 'PAUSED' : 'ACTIVE' });
      const said = { role: 'manual', content: String(body?.message), delivery: 'pending' } as const;
      const line = lineOf({ id: String(lines.length + 1), instance_id: id, ...said });
      save(home, 'transcript.json', [...lines, line]);
      return line;
    }
    default:
      throw new RelayError('not_found');
  }
}

function list(instances: readonly ConversationInstance[], url: URL): ConversationInstance[] {
  const asked = (name: string) => url.searchParams.get(name);
  const from = instances.findIndex(({ id }) => id === asked('after')) + 1;
  return instances
    .slice(from)
    .filter(({ state }) => asked('state') === null || state === asked('state'))
    .filter(({ id }) => id.startsWith(asked('id_prefix') ?? ''))
    .slice(0, Number(asked('limit') ?? 50));
}

function create(
  home: string,
  instances: readonly ConversationInstance[],
  body: Record<string, unknown>,
) {
  const id = `c0ffee00-0000-4000-8000-${String(instances.length).padStart(12, '0')}`;
  const state = existsSync(join(home, 'taken')) ? 'QUEUED' : 'CREATED';
  const made = instanceOf({ id, state, objective: String(body.objective) });
  save(home, 'instances.json', [made, ...instances]);
  return { id, state };
}

/** A stream that reports every change and nothing else. */
async function stream(home: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const frame = (event: string, data: object) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const stamp = () =>
    ['instances.json', 'transcript.json']
      .map((name) => statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs)
      .join();
  frame('ready', {});
  for (let seen = stamp(); !response.destroyed; await sleep(LOOK_MS)) {
    if (stamp() === seen) continue;
    seen = stamp();
    for (const { id } of load<ConversationInstance>(home, 'instances.json')) {
      frame('conversation', { at: AT, subject: id, data: {} });
    }
  }
}
