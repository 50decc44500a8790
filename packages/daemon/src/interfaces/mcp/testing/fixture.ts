// Harness for MCP without a daemon: the official client over both transports in both protocol versions, on a new
// database and a scripted transport, with waits that take almost no time.
import { createHash } from 'node:crypto';
import { duplexPair } from 'node:stream';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import type { TokenSecret } from '@relay/contract/api/credentials';
import type { ChatId, MessageId } from '@relay/contract/ids';
import type { ClientScope } from '@relay/contract/policy/scopes';
import type { LogFields } from '@relay/core/log';
import {
  connectOver,
  type McpTransportKind,
  overHttp,
  type Version,
} from '@relay/testing/e2e/programs/client';
import { type CleanupHook, sleep } from '@relay/testing/store';
import { createApprovalService } from '../../../pipeline/gate/approvals.ts';
import { createGrantService } from '../../../pipeline/gate/grants.ts';
import { findOrMakeChat } from '../../../pipeline/gate/send-as-owner.ts';
import { createTokenService } from '../../../pipeline/gate/tokens.ts';
import { freshPost, type PostOptions } from '../../../pipeline/outbox/testing/post.ts';
import { PostgresEventLog } from '../../../platform/db/events.ts';
import { putMessages } from '../../../platform/db/messages.ts';
import { createClientTokens } from '../../../platform/db/tokens.ts';
import { canStoreSession } from '../../../platform/db/transport-store/transport-store.ts';
import { CallOrder } from '../call.ts';
import { openClientApi } from '../client-api.ts';
import { lineTransport } from '../server.ts';
import type { ClientDeps } from '../tool.ts';

/** The real duration of a wait: enough for concurrent work. */
const WAIT_MS = 25;

const hashOf = ({ secret }: Pick<TokenSecret, 'secret'>): string =>
  createHash('sha256').update(secret).digest('hex');

const unreached = () => Promise.reject(new Error('none of this is about it'));
const absent = new Proxy({}, { get: unreached }) as never;

export async function freshMcpHarness(after: CleanupHook, options: PostOptions = {}) {
  const post = await freshPost(after, options);
  const { database, account, lease, gate, network, later, sql } = post;
  const db = database.kysely;
  const waits: number[] = [];
  const logged: { readonly message: string; readonly fields: LogFields }[] = [];
  const keep = (message: string, fields: LogFields = {}) => void logged.push({ message, fields });
  const gated = { db, lease, gate, onChange: () => {} };
  const approvals = createApprovalService({
    ...gated,
    actions: {
      sendInConversation: unreached,
      onRejected: unreached,
      createConversation: unreached,
      scheduleMessage: unreached,
      cancelSchedule: unreached,
    },
  });
  const deps: ClientDeps = {
    ...gated,
    onChange: () => gate.wakeOutbox(),
    tokens: createClientTokens(db, account),
    transport: network,
    search: absent,
    conversations: absent,
    schedules: absent,
    digests: absent,
    actions: absent,
    summaries: absent,
    ledger: absent,
    approvals,
    events: new PostgresEventLog(db, account),
    callOrder: new CallOrder(),
    admins: [],
    zone: 'Europe/Berlin',
    pollMs: 30_000,
    settings: { tell_owner_on_whatsapp: true },
    log: { debug: keep, info: keep, warn: keep, error: keep },
    now: () => new Date(),
    wait: async (ms, signal) => {
      waits.push(ms);
      await sleep(WAIT_MS);
      signal.throwIfAborted();
      later(ms);
    },
    keepsSession: () => canStoreSession(db, lease),
    renderQr: async (qr) => Buffer.from(qr).toString('base64'),
  };
  const clientApi = openClientApi(deps);
  const grants = createGrantService(gated);
  const tokens = createTokenService({ ...gated, changed: gated.onChange });

  let made = 0;
  const connect = async (
    { secret }: TokenSecret,
    way: McpTransportKind,
    version: Version,
    client: ClientOptions = {},
  ): Promise<Client> => {
    const hash = hashOf({ secret });
    if (way === 'http') {
      const fetch = async (url: string | URL | Request, init?: RequestInit) => {
        const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
        return clientApi.fetch(new Request(url, init), hash, body);
      };
      return connectOver(overHttp('http://127.0.0.1', secret, fetch), version, client);
    }
    const [ours, theirs] = duplexPair();
    clientApi.pipe(ours, hash);
    return connectOver(lineTransport(theirs), version, client);
  };

  return {
    ...post,
    deps,
    clientApi,
    approvals,
    tokens,
    /** Every requested wait, in ms. */
    waits,
    logged,
    connect,
    hashOf,
    /** A contact with a record of the owner's who has written before. */
    async person(phone: string, displayName: string, grant: object = {}) {
      const permission = await grants.create({
        phoneNumber: phone,
        displayName,
        options: {},
        canRead: true,
        canReply: true,
        replyMode: 'auto',
        canInitiate: false,
        ...grant,
      });
      const chat = await db.transaction().execute((tx) => findOrMakeChat(tx, account, phone));
      await sql(
        `INSERT INTO message_keys (account_id, chat_id, sender, message_id, sent_at, id)
         VALUES ($1, $2, 'x', $3, now(), 1)`,
        [account, chat, `from ${phone}`],
      );
      return { ...permission, chat };
    },
    /** Adds the newest message of a chat and sets its unread count. */
    async said(chat: ChatId, body: string, unread: number) {
      const id = `said ${++made}` as MessageId;
      const sentAt = new Date(Date.now() + made);
      await db.transaction().execute((tx) =>
        putMessages(tx, account, [
          {
            chat,
            sender: null,
            id,
            sentAt,
            kind: 'text',
            body,
            quotedId: null,
            media: null,
            isLate: false,
            source: 'whatsapp',
            inboxSeq: null,
          },
        ]),
      );
      await sql('UPDATE chats SET unread_count = $2, last_message_at = $3 WHERE id = $1', [
        chat,
        unread,
        sentAt,
      ]);
    },
    newToken: (request: { scopes: ClientScope[]; confirm?: boolean; contacts?: string[] }) =>
      tokens.create({ name: `client ${++made}`, confirm: false, ...request }),
  };
}
