// In-memory stand-ins for the ports, for the tests of this folder: each does what its port promises,
// and every verb that a caller could reach is recorded.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Activity } from '@relay/core/api/activity';
import type { Approval } from '@relay/core/api/approvals';
import type { AssistantLine } from '@relay/core/api/assistant';
import type { Backups, MadeBackup } from '@relay/core/api/backups';
import type { ChatDetail } from '@relay/core/api/chats';
import type {
  ConversationInstance,
  ListedInstance,
  TranscriptLine,
} from '@relay/core/api/instances';
import type { LedgerLine, LedgerVerdict, Why } from '@relay/core/api/ledger';
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import type { OutsideMemoryState } from '@relay/core/api/outside-memory';
import type {
  ErasedCounts,
  ForgetPreview,
  Receipt,
  RetentionRun,
  RetentionStatus,
} from '@relay/core/api/retention';
import type { Schedule } from '@relay/core/api/schedules';
import type { ShownSettings } from '@relay/core/api/settings';
import type { DaemonStatus } from '@relay/core/api/status';
import type { ProgramToken } from '@relay/core/api/tokens';
import type { BufferedMessage } from '@relay/core/api/whatsapp';
import { countTurns } from '@relay/core/conversation/counts';
import { approvalId, tokenId } from '@relay/core/ids';
import { silentLog } from '@relay/core/log';
import type { OutboxState } from '@relay/core/outbox/progress';
import type { EventLog, StreamEvent } from '@relay/core/ports/event-log';
import type { ForwarderTokens } from '@relay/core/ports/ingest';
import type { MessageQuery } from '@relay/core/ports/messages';
import type { OwnerMessage, OwnerSent } from '@relay/core/ports/owner-messages';
import type { SignInStore } from '@relay/core/ports/sign-in';
import type { Program } from '@relay/core/ports/tokens';
import type { HttpDeps } from '../deps.ts';
import { evalPlan, evalReport } from './evaluation.ts';
import { memoryStandIns } from './memory.ts';
import { peopleStandIns, type Recorded } from './people.ts';
import { type ScriptedTransport, scriptedTransport } from './scripted-transport.ts';
import { webhookStandIns } from './webhooks.ts';

export const TOKEN = 'the-owners-token-of-256-bits';
export const INSTANCE_ID = '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';
const AT = '2026-11-15T02:00:00.000Z';

export const instance: ConversationInstance = {
  id: INSTANCE_ID,
  objective: 'Get a quote',
  target_contact: '+56912345678',
  todos: [],
  facts: [],
  state: 'CREATED',
  previous_state: null,
  heartbeat_config: { interval_ms: 1_800_000, max_followups: 5 },
  follow_up_count: 0,
  failure_reason: null,
  created_at: AT,
  updated_at: AT,
  next_follow_up_at: null,
  reason: 'The agent is about to write the first message.',
  unread: 0,
  chat_id: '3e6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  created_by: 'owner',
};

export const listedInstance: ListedInstance = {
  ...instance,
  contact_id: '6f1c2b3d-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  contact_name: null,
  turn: 'agent',
  approval_id: null,
};

const message: TranscriptLine = {
  id: 'm1',
  instance_id: INSTANCE_ID,
  role: 'manual',
  content: 'hello',
  timestamp: AT,
  delivery: 'pending',
  message_id: null,
};

const approval: Approval = {
  id: '1c6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  state: 'pending',
  kind: 'send_message',
  recipient: '+56912345678',
  recipient_name: null,
  text: 'hello',
  when: null,
  chat_id: INSTANCE_ID,
  shown: 'a'.repeat(64),
  reason: 'Replies here are drafts.',
  reason_code: 'draft',
  requested_by: 'owner',
  requested_by_name: null,
  instance_id: null,
  created_at: AT,
  expires_at: AT,
  decided_at: null,
  answer: null,
  replaced_by: null,
};

const decided: LedgerLine = {
  seq: 1,
  at: AT,
  actor: 'router',
  who: 'router',
  action: 'route_message',
  what: 'a message came in',
  subject: { kind: 'message', id: '3EB0AA' },
  about: 'Mom',
  outcome: 'stored',
  reason: 'no_grant',
  sentence: 'You have granted nothing here.',
  detail: {},
};

const why: Why = {
  sentence: 'Stored and not answered: nobody granted reading Mom; it was counted as a knock.',
  message_id: '3EB0AA',
  outbox_id: null,
  way: 'in',
  chat: { id: INSTANCE_ID, kind: 'direct', name: 'Mom' },
  at: AT,
  outcome: 'stored',
  reason: 'no_grant',
  run: null,
  instance_id: null,
  schedule_id: null,
  approval: null,
  deliveries: [],
  rows: [decided],
};

const verdict: LedgerVerdict = {
  whole: true,
  sentence: 'The chain of decisions is whole.',
  fault: null,
  checked: 1,
  rows: 1,
  full: false,
  head: '',
};

const chat: ChatDetail = {
  id: INSTANCE_ID,
  kind: 'direct',
  name: 'Mom',
  contact_id: null,
  phone_number: null,
  grant: null,
  observed: false,
  last_message_at: AT,
  last: null,
  conversations: [],
};

const RUN_ID = '2d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';
const line: AssistantLine = {
  id: '1',
  role: 'assistant',
  content: 'hello',
  command: false,
  at: AT,
  run: RUN_ID,
  steps: [],
  sources: [],
  outside: false,
};

const schedule: Schedule = {
  id: '2d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  state: 'active',
  rule: { kind: 'daily', time: '09:00' },
  zone: 'Europe/Berlin',
  words: 'every day at 09:00, Europe/Berlin',
  catch_up: 'skip',
  next: [AT],
  recipient: '+56912345678',
  recipient_name: null,
  text: 'hello',
  created_by: 'owner',
  who: 'you',
  created_at: AT,
  last: null,
};

const enforced: RetentionRun = {
  at: AT,
  cause: 'owner',
  messages: 0,
  digests: 0,
  scoured: true,
  ms: 1,
};

const kept: RetentionStatus = {
  now: AT,
  limits: { observed_messages_days: 30, digests_days: 28 },
  groups: [],
  runs: [enforced],
  next_run_at: AT,
  others: [],
};

const NOTHING: ErasedCounts = {
  messages: 0,
  sent: 0,
  conversations: 0,
  session_lines: 0,
  schedules: 0,
  approvals: 0,
  grants: 0,
  digests: 0,
  assistant_answers: 0,
  tool_calls: 0,
};
const nobody: ForgetPreview = {
  id: '',
  kind: 'person',
  name: null,
  counts: NOTHING,
  open_conversations: 0,
};
const receipt: Receipt = {
  kind: 'person',
  erased: NOTHING,
  outside_lines: 0,
  scoured: 'all',
  ms: 1,
  stays: [],
};

const outside: OutsideMemoryState = {
  device_id: 'relay-whatsapp',
  folder: null,
  hourly: false,
  webhook_url: null,
  signed: false,
};

const settings: ShownSettings = {
  model: {
    provider: 'anthropic',
    name: null,
    base_url: null,
    has_key: true,
    ready: true,
    sentence: 'Ready.',
  },
  web_search: { has_key: false },
  file: '/home/relay.config.json',
  settings: [],
  secrets: [],
  exported_at: null,
};

const UNEVENTFUL = {
  received: 0,
  sent: 0,
  answers: 0,
  answer_ms: null,
  slow_answer_ms: null,
  tokens: { conversations: 0, auto_reply: 0, assistant: 0, groups: 0, other: 0 },
};

const activity: Activity = {
  hours: 24,
  unit: 'hour',
  zone: 'UTC',
  until: AT,
  buckets: [{ at: AT, ...UNEVENTFUL, turns: { you: 0, agent: 0, them: 0, parked: 0 } }],
  total: UNEVENTFUL,
  today: {
    since: AT,
    received: 0,
    sent: 0,
    answers: 0,
    tokens: 0,
    tokens_per_day: 1,
    completed: 0,
  },
};

const status: DaemonStatus = {
  pid: 1,
  uptime_seconds: 2,
  whatsapp_connected: false,
  active_instance_count: 0,
  total_instance_count: 0,
  needs_you_count: 0,
  version: '0.1.0',
  demo: false,
  phone_page: null,
  home: '~/.relay-agent',
  whatsapp: { state: 'unlinked', sentence: 'No phone is linked.', phone_number: null },
  database: { kind: 'private', server_version: '18.4', schema_version: 1 },
  jobs: { waiting: 0, running: 0, dead: 0, dead_letters: [] },
  timers_pending: 0,
  hold: false,
  approvals_waiting: 0,
  waiting_count: 0,
  knocks_waiting: 0,
  webhooks: null,
  backup: { every: 'off', last_at: null, trouble: null },
  inbox_waiting: 0,
  last_minute: { received: 0, sent: 0 },
  sending: {
    light: 'green',
    sentence: 'Messages leave as usual.',
    frozen_until: null,
    sent_this_hour: 0,
    sent_today: 0,
    first_contacts_today: 0,
    waiting: 0,
    unknown: 0,
    failed: 0,
    caps: { enabled: true, per_minute: 6, per_hour: 60, per_day: 200, first_contacts_per_day: 5 },
  },
  report: null,
};

const backup: MadeBackup = {
  file: '/backups/relay-backup-2026-11-15T02-00-00Z.tar.gz',
  bytes: 1,
  made_at: AT,
  rows: 1,
  removed: [],
  ms: 1,
};

const backups: Backups = {
  every: 'off',
  last_at: null,
  trouble: null,
  folder: '/backups',
  keep: 7,
  next_at: null,
  backups: [],
};

export function memorySignIn(): SignInStore {
  const codes = new Map<string, Date>();
  const sessions = new Map<string, Date>();
  return {
    async addCode(hash, expiresAt) {
      codes.set(hash, expiresAt);
    },
    async spendCode(hash, now) {
      const expiresAt = codes.get(hash);
      codes.delete(hash);
      return expiresAt !== undefined && now < expiresAt;
    },
    async addSession(hash, expiresAt) {
      sessions.set(hash, expiresAt);
    },
    async hasSession(hash, now) {
      const expiresAt = sessions.get(hash);
      return expiresAt !== undefined && now < expiresAt;
    },
    async endSession(hash) {
      sessions.delete(hash);
    },
    async endAll() {
      codes.clear();
      sessions.clear();
    },
  };
}

export function memoryForwarderTokens(): ForwarderTokens {
  let current: string | null = null;
  return {
    knows: async (hash) => hash === current,
    async replace(hash) {
      current = hash;
    },
    async revoke() {
      const had = current !== null;
      current = null;
      return had;
    },
    state: async () => ({
      exists: current !== null,
      created_at: current === null ? null : AT,
      last_used_at: null,
    }),
  };
}

export interface MemoryLog extends EventLog {
  append(kind: string, data?: Record<string, unknown>): void;
  /** Forgets all but the newest events, as retention does. */
  keep(count: number): void;
  subscribers(): number;
  /** Events handed to readers so far. */
  handedOut(): number;
}

export function memoryEventLog(): MemoryLog {
  let events: StreamEvent[] = [];
  let next = 1;
  let handedOut = 0;
  const wakes = new Set<() => void>();
  const number = (cursor: string | null) => (cursor === null ? 0 : Number(cursor));
  return {
    append(kind, data = {}) {
      events.push({ cursor: String(next++), kind, at: AT, subject: null, data });
      for (const wake of wakes) wake();
    },
    keep(count) {
      events = events.slice(-count);
    },
    subscribers: () => wakes.size,
    handedOut: () => handedOut,
    async read(after, limit) {
      const first = events[0];
      if (first === undefined) return [];
      const from = Math.max(0, number(after) - number(first.cursor) + 1);
      const found = events.slice(from, from + limit);
      handedOut += found.length;
      return found;
    },
    latest: async () => events.at(-1)?.cursor ?? null,
    covers: async (cursor) =>
      number(cursor) >= number(events[0]?.cursor ?? null) && number(cursor) < next,
    subscribe(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
  };
}

export const buffered: BufferedMessage = {
  id: '3EB0A7B1C2D3',
  from: '14155551234@s.whatsapp.net',
  fromName: 'Alice',
  to: '19876543210@s.whatsapp.net',
  body: 'Hey, are you around?',
  timestamp: 1_740_567_890_000,
  fromMe: false,
  isGroup: false,
};

/** What is sent under a key is sent once; `advance` is the outbox doing its work. */
export function memoryOutbox() {
  const rows: OwnerMessage[] = [];
  let state: OutboxState = 'pending';
  const sentAs = (at: number, to: string): OwnerSent => ({
    jid: to,
    id: `outbox-${at}`,
    messageId: `3EB0${at}`,
    state,
  });
  return {
    rows,
    advance(to: OutboxState) {
      state = to;
    },
    async send(message: OwnerMessage): Promise<OwnerSent> {
      const found = rows.findIndex(({ key }) => key !== undefined && key === message.key);
      const at = found === -1 ? rows.push(message) - 1 : found;
      return sentAs(at, message.to);
    },
  };
}

export interface StandIns {
  readonly deps: HttpDeps;
  readonly events: MemoryLog;
  readonly whatsapp: ScriptedTransport;
  readonly outbox: ReturnType<typeof memoryOutbox>;
  /** What the message reader was asked for. */
  readonly queries: MessageQuery[];
  readonly configured: object[];
  /** The verbs called so far, the oldest first. */
  readonly calls: string[];
}

const observedGroup: ObservedGroup = {
  chat_id: '90000000-0000-4000-8000-000000000001',
  address: '120363000000000001@g.us',
  name: 'Family',
  zone: 'Europe/Berlin',
  assistant_name: 'Annie',
  answers_per_day: 5,
  may_answer: true,
  announcement: 'Annie reads along here.',
  since: '2026-03-02T10:00:00.000Z',
  announced_at: '2026-03-02T10:00:00.000Z',
  messages_kept: 0,
  messages_cut: 0,
  tokens_spent: 0,
  tokens_avoided: 0,
  answers_today: 0,
  messages_sent: 0,
  days: [],
  last_digest_at: null,
  oldest_message_at: null,
};

/** A program's secret that the stand-ins know, and whose it is. */
export const PROGRAM_TOKEN = 'relay_program_secret_of_the_tests';
const PROGRAM_HASH = createHash('sha256').update(PROGRAM_TOKEN).digest('hex');
const PROGRAM: Program = {
  id: tokenId('7f3c1a52-3a55-4a0c-9d0e-2f6f6f0c9a11'),
  name: 'claude',
  scopes: ['messages:read', 'messages:send'],
  contacts: null,
  confirm: true,
};
const programToken: ProgramToken = {
  ...PROGRAM,
  scopes: [...PROGRAM.scopes],
  contacts: null,
  has_read: false,
  created_at: '2026-11-15T09:00:00.000Z',
  rotated_at: null,
  last_used_at: null,
  expires_at: null,
};

export function standIns(overrides: Partial<HttpDeps> = {}): StandIns {
  const calls: string[] = [];
  const recorded: Recorded =
    (name, verb) =>
    (...given) => {
      calls.push(name);
      return verb(...given);
    };
  let token = TOKEN;
  const events = memoryEventLog();
  const whatsapp = scriptedTransport();
  const outbox = memoryOutbox();
  const queries: MessageQuery[] = [];
  const configured: object[] = [];
  const deps: HttpDeps = {
    version: '0.1.0',
    port: 0,
    log: silentLog,
    ownerToken: () => token,
    rotateOwnerToken: recorded('rotateOwnerToken', async () => {
      token = `${token}-rotated`;
      return token;
    }),
    programTokens: {
      known: async (hash) => (hash === PROGRAM_HASH ? PROGRAM : null),
      holds: async (hash) => hash === PROGRAM_HASH,
    },
    tokens: {
      list: recorded('listTokens', async () => [programToken]),
      create: recorded('createToken', async () => ({ ...programToken, secret: PROGRAM_TOKEN })),
      rotate: recorded('rotateToken', async () => ({ ...programToken, secret: PROGRAM_TOKEN })),
      revoke: recorded('revokeToken', async () => programToken),
    },
    metrics: {
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      text: recorded('metrics', async () => 'relay_hold 0\n'),
      answered: () => {},
    },
    programs: {
      fetch: recorded('mcp', async () => Response.json({})),
      pipe: recorded('pipe', () => {}),
      tools: recorded('tools', () => []),
      call: recorded('callTool', async () => ({})),
    },
    conversations: {
      create: recorded('create', async () => ({ id: INSTANCE_ID, state: 'CREATED' as const })),
      list: recorded('list', async () => [listedInstance]),
      counts: recorded('counts', async () => countTurns([{ state: 'CREATED', n: 1, holding: 0 }])),
      get: recorded('get', async () => listedInstance),
      transcript: recorded('transcript', async () => [message]),
      transitions: recorded('transitions', async () => []),
      cancel: recorded('cancel', async () => instance),
      pause: recorded('pause', async () => instance),
      resume: recorded('resume', async () => instance),
      send: recorded('send', async () => message),
    },
    whatsapp: {
      ...whatsapp,
      get link() {
        calls.push('link');
        return whatsapp.link;
      },
      subscribe: recorded('listen', whatsapp.subscribe),
      connect: recorded('connect', whatsapp.connect),
      disconnect: recorded('disconnect', whatsapp.disconnect),
    },
    chats: {
      list: recorded('listChats', async () => ({ chats: [], cursor: null })),
      get: recorded('getChat', async () => chat),
      messages: recorded('listChatMessages', async () => ({
        messages: [],
        older: false,
        newer: false,
      })),
    },
    messages: {
      recent: recorded('recent', async (query) => {
        queries.push(query);
        return [buffered];
      }),
      named: recorded(
        'named',
        async (refs) => new Map(refs.map(({ number }) => [number, buffered])),
      ),
    },
    activity: { read: recorded('activity', async (hours) => ({ ...activity, hours })) },
    ledger: {
      why: recorded('why', async () => why),
      list: recorded('listLedger', async () => ({ entries: [decided], cursor: '1', more: false })),
      asked: recorded('askedInLedger', async () => [decided]),
      verify: recorded('verifyLedger', async ({ full }) => ({ ...verdict, full })),
    },
    send: recorded('sendAsOwner', outbox.send),
    assistant: {
      ask: recorded('ask', async (question, sink) => {
        sink({ type: 'run', id: RUN_ID, question: '1' });
        sink({ type: 'text', delta: question.text });
        sink({ type: 'done', text: question.text });
      }),
      history: recorded('history', async () => [line]),
      reset: recorded('reset', async () => {}),
    },
    approvals: {
      find: recorded('findApproval', async (given) => approvalId(given)),
      list: recorded('listApprovals', async () => [approval]),
      approve: recorded('approve', async () => approval),
      show: recorded('showApproval', async () => approval),
      edit: recorded('editApproval', async () => approval),
      reject: recorded('reject', async () => approval),
    },
    ...peopleStandIns(recorded),
    hold: {
      hold: recorded('hold', async (reason) => ({ hold: true, reason, since: AT })),
      release: recorded('release', async () => ({ hold: false, reason: null, since: null })),
    },
    ingest: {
      take: recorded('takeNotifications', async (all) => ({
        taken: all.length,
        repeated: 0,
        left_out: 0,
      })),
    },
    forwarderTokens: memoryForwarderTokens(),
    outsideMemory: {
      state: recorded('outsideMemory', async () => outside),
      change: recorded('changeOutsideMemory', async () => ({ ...outside, webhook_secret: null })),
    },
    imports: {
      begin: recorded('importChat', async () => ({
        news: Readable.from([]),
        end: async () => {},
      })),
    },
    evaluation: {
      plan: recorded('planEvaluation', async () => evalPlan),
      run: recorded('evaluate', async (_request, sink) =>
        sink({ type: 'done', report: evalReport }),
      ),
    },
    search: { search: recorded('search', async () => ({ sure: false, hits: [] })) },
    observing: {
      list: recorded('listObserved', async () => [observedGroup]),
      preview: recorded('previewObserved', async () => ({ ...observedGroup, observed: false })),
      add: recorded('observe', async () => observedGroup),
      remove: recorded('unobserve', async () => ({
        chat_id: observedGroup.chat_id,
        name: observedGroup.name,
        erased: false,
      })),
    },
    digests: {
      digests: recorded('readDigests', async () => ({ digests: [] })),
      hasGroups: async () => false,
    },
    memory: memoryStandIns(recorded),
    webhooks: webhookStandIns(recorded),
    retention: {
      status: recorded('retention', async () => kept),
      run: recorded('runRetention', async () => enforced),
      preview: recorded('previewForget', async (id) => ({ ...nobody, id })),
      forget: recorded('forget', async () => receipt),
    },
    schedules: {
      list: recorded('listSchedules', async () => [schedule]),
      preview: recorded('previewSchedule', async () => schedule),
      create: recorded('createSchedule', async () => schedule),
      cancel: recorded('cancelSchedule', async () => schedule),
    },
    settings: {
      shown: recorded('settings', async () => settings),
      change: recorded('changeSettings', async (changed) => {
        configured.push(changed);
      }),
      tryModel: recorded('tryModel', async () => ({ ok: true, sentence: 'It answered.', ms: 1 })),
    },
    status: recorded('status', async () => status),
    checks: recorded('checks', async () => []),
    events: { ...events, subscribe: recorded('subscribe', events.subscribe) },
    archive: {
      export: recorded('export', () => Readable.from([Buffer.from('archive')])),
      import: recorded('import', async (stream) => {
        let bytes = 0;
        for await (const chunk of stream) bytes += (chunk as Buffer).length;
        return { tables: { bytes } };
      }),
    },
    backups: {
      list: recorded('listBackups', async () => backups),
      make: recorded('makeBackup', async () => backup),
    },
    signIn: memorySignIn(),
    webDirectory: null,
    stopping: () => false,
    ...overrides,
  };
  return { deps, events, whatsapp, outbox, queries, configured, calls };
}
