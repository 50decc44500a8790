// In-memory fakes of all ports for the tests of this folder: each keeps its port's contract and records every operation
// that a caller could reach. The fakes of one noun are in that noun's file.
import { Readable } from 'node:stream';
import type { SettingsOverview } from '@relay/contract/api/settings';
import type { MessageQuery } from '@relay/contract/api/whatsapp';
import { type AccountId, HOME_OWNER } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import type { HttpDeps, ServedAccount } from '../deps.ts';
import { accountStandIns } from './accounts.ts';
import { approvalStandIns } from './approvals.ts';
import { assistantStandIns } from './assistant.ts';
import { AT } from './at.ts';
import { backupStandIns } from './backups.ts';
import { chatStandIns } from './chats.ts';
import { conversationStandIns } from './conversations.ts';
import { evalPlan, evalReport } from './evaluation.ts';
import { type MemoryLog, memoryEventLog } from './event-log.ts';
import { ledgerStandIns } from './ledger.ts';
import { memoryStandIns } from './memory.ts';
import { notificationStandIns } from './notifications.ts';
import { observingStandIns } from './observing.ts';
import { buffered, memoryOutbox } from './outbox.ts';
import { peopleStandIns } from './people.ts';
import { programStandIns } from './programs.ts';
import type { Recorded } from './recorded.ts';
import { remoteStandIns } from './remote.ts';
import { retentionStandIns } from './retention.ts';
import { scheduleStandIns } from './schedules.ts';
import { type ScriptedTransport, scriptedTransport } from './scripted-transport.ts';
import { memoryForwarderTokens, memorySignIn } from './sign-in.ts';
import { activity, figures, status } from './status.ts';
import { webhookStandIns } from './webhooks.ts';

const MEDIA_ID = '6f2d1c3b-4a5e-4f60-8b7a-9c0d1e2f3a4b';
export const TOKEN = 'the-owners-token-of-256-bits';

const settings: SettingsOverview = {
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

export interface StandIns {
  readonly deps: HttpDeps;
  readonly events: MemoryLog;
  readonly whatsapp: ScriptedTransport;
  readonly outbox: ReturnType<typeof memoryOutbox>;
  /** The queries that the message reader received. */
  readonly queries: MessageQuery[];
  readonly configured: object[];
  /** The operations called so far, oldest first. */
  readonly calls: string[];
}

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
  const served = (): ServedAccount => ({
    id: 1 as AccountId,
    name: 'default',
    owner: HOME_OWNER,
    services: deps,
  });
  const deps: HttpDeps = {
    version: '0.1.0',
    port: 0,
    log: silentLog,
    ownerToken: () => token,
    rotateOwnerToken: recorded('rotateOwnerToken', async () => {
      token = `${token}-rotated`;
      return token;
    }),
    listWorkers: recorded('listWorkers', async () => ({ workers: [], unserved: 0 })),
    ...programStandIns(recorded),
    metrics: {
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      text: recorded('metrics', async () => 'relay_hold 0\n'),
      countRequest: () => {},
    },
    ...conversationStandIns(recorded),
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
    ...chatStandIns(recorded),
    messages: {
      recent: recorded('recent', async (query) => {
        queries.push(query);
        return [buffered];
      }),
      byRefs: recorded(
        'named',
        async (refs) => new Map(refs.map(({ number }) => [number, buffered])),
      ),
    },
    activity: { read: recorded('activity', async (hours) => ({ ...activity, hours })) },
    ...ledgerStandIns(recorded),
    send: recorded('sendAsOwner', outbox.send),
    media: {
      upload: recorded('uploadMedia', async () => ({
        id: MEDIA_ID,
        bytes: 0,
        sha256: '0'.repeat(64),
      })),
      find: recorded('findMedia', async () => null),
      findFor: recorded('findMediaFor', async () => null),
      open: recorded('openMedia', async () => Readable.from([])),
    },
    ...assistantStandIns(recorded),
    ...approvalStandIns(recorded),
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
    ...observingStandIns(recorded),
    memory: memoryStandIns(recorded),
    webhooks: webhookStandIns(recorded),
    typedEvents: { read: recorded('readTypedEvents', async () => []) },
    keptResponses: { once: (_request, run) => run() },
    notifications: notificationStandIns(recorded),
    ...retentionStandIns(recorded),
    ...scheduleStandIns(recorded),
    settings: {
      overview: recorded('settings', async () => settings),
      change: recorded('changeSettings', async (changed) => {
        configured.push(changed);
      }),
      tryModel: recorded('tryModel', async () => ({ ok: true, sentence: 'It answered.', ms: 1 })),
      listModels: recorded('listModels', async () => ({
        provider: 'ollama',
        models: ['qwen3:8b'],
        embeddings: null,
      })),
    },
    status: recorded('status', async () => status),
    figures: recorded('figures', async () => figures),
    checks: recorded('checks', async () => []),
    events: { ...events, subscribe: recorded('subscribe', events.subscribe) },
    archive: {
      export: recorded('export', async () => ({
        stream: Readable.from([Buffer.from('archive')]),
        isEncrypted: false,
      })),
      import: recorded('import', async (stream) => {
        let bytes = 0;
        for await (const chunk of stream) bytes += (chunk as Buffer).length;
        return {
          tables: { bytes },
          made_at: '2026-11-15T02:00:00.000Z',
          upgraded_from: null,
          suspended_tokens: [],
          disabled_webhooks: [],
          webhooks_without_secret: [],
        };
      }),
    },
    backups: backupStandIns(recorded),
    signIn: memorySignIn(),
    ...remoteStandIns(recorded),
    webDirectory: null,
    stopping: () => false,
    isDatabaseDiskFull: async () => false,
    accounts: {
      find: (name) => (name === 'default' ? served() : null),
      byId: () => served(),
      defaultOf: (owner) => (owner === HOME_OWNER ? served() : null),
    },
    ...accountStandIns(recorded),
    findForwardedAccount: async (hash) =>
      (await deps.forwarderTokens.isValid(hash)) ? served().id : null,
    ...overrides,
  };
  return { deps, events, whatsapp, outbox, queries, configured, calls };
}
