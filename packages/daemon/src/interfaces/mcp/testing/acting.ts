// Harness for tools that act: contacts with grants, tokens as the owner creates them, and tool calls as a transport
// makes them, over a new database. It contains only what these tools use.
import { createHash, randomUUID } from 'node:crypto';
import type { CreateToken } from '@relay/contract/api/credentials';
import type { ChatId, ContactId } from '@relay/contract/ids';
import type { Grant } from '@relay/core/contacts/grants';
import { createTokenService } from '@relay/daemon/pipeline/gate/tokens';
import { createClientTokens, noteTokenReads } from '@relay/daemon/platform/db/tokens';
import { newPhone, openDaemonHarness } from '@relay/testing/daemon-harness';
import { freshStore } from '@relay/testing/store';
import { afterAll } from 'vitest';
import { createClientConversations } from '../../../features/conversations/service.ts';
import { cancelSchedule, scheduleForAgent } from '../../../features/schedules/service.ts';
import { findOrMakeChat } from '../../../pipeline/gate/send-as-owner.ts';
import { CallOrder, callTool } from '../call.ts';
import type { ClientDeps, ConfirmationAnswer } from '../tool.ts';

const ALL: Grant = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: true };
const ZONE = 'Europe/Berlin';

export interface Somebody {
  readonly name: string;
  readonly phone: string;
  readonly address: string;
  readonly chat: ChatId;
  readonly contact: ContactId;
}

export interface ClientOptions {
  readonly scopes?: CreateToken['scopes'];
  readonly contacts?: readonly Somebody[];
  /** Whether the token requires a confirmation; false by default. */
  readonly confirm?: boolean;
}

export interface CallOptions {
  readonly key?: string;
  /** The answer of the person at the client; without one, nobody can be asked. */
  readonly says?: ConfirmationAnswer;
  readonly asked?: string[];
}

export async function openClientFixture() {
  const store = await freshStore();
  const harness = await openDaemonHarness(store, { zone: ZONE });
  afterAll(() => harness.close());
  const { account, sql } = store;
  const { conversations: inside } = harness;
  const { db, lease } = inside;
  const conversations = createClientConversations(inside);
  const scheduling = { ...inside, zone: ZONE };
  const deps = {
    ...inside,
    tokens: createClientTokens(db, account),
    conversations: harness.service,
    schedules: harness.schedules.service,
    approvals: harness.approvals,
    actions: {
      createConversation: conversations.create,
      controlConversation: conversations.control,
      scheduleMessage: (...asked) => scheduleForAgent(scheduling, ...asked),
      cancelSchedule: (...asked) => cancelSchedule(scheduling, ...asked),
    },
    transport: { link: { phone: null } } as ClientDeps['transport'],
    callOrder: new CallOrder(),
    admins: [],
    zone: ZONE,
    onChange: () => {},
  } satisfies Partial<ClientDeps> as unknown as ClientDeps;
  const tokens = createTokenService({
    db,
    lease,
    changed: () => {},
    onRevoke: conversations.pauseStartedBy,
  });

  let people = 0;
  /** A contact who has written before, by default with all grants. */
  async function somebody(grant: Partial<Grant> | null = {}): Promise<Somebody> {
    const name = `Person ${++people} Ofmany`;
    const phone = newPhone();
    const chat = await db.transaction().execute((tx) => findOrMakeChat(tx, account, phone));
    const [row] = await sql<{ contact_id: ContactId }>(
      'SELECT contact_id FROM chats WHERE id = $1',
      [chat],
    );
    if (row === undefined) throw new Error('a chat of nobody');
    const contact = row.contact_id;
    const given = { ...ALL, ...grant };
    if (grant !== null) {
      await sql(
        `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, reply_mode, can_initiate)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [account, contact, name, given.canRead, given.canReply, given.replyMode, given.canInitiate],
      );
    }
    await sql(
      `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
       VALUES ($1, $2, 'them', $3, 1, now())`,
      [account, chat, randomUUID()],
    );
    return { name, phone, address: `${phone.slice(1)}@s.whatsapp.net`, chat, contact };
  }

  async function newClient(options: ClientOptions = {}) {
    const { scopes = EVERYTHING, contacts, confirm = false } = options;
    const { id, name, secret } = await tokens.create({
      name: `client ${randomUUID().slice(0, 8)}`,
      scopes,
      confirm,
      ...(contacts && { contacts: contacts.map(({ phone }) => phone) }),
    });
    const hash = createHash('sha256').update(secret).digest('hex');
    return {
      id,
      actor: `token:${id}`,
      call: (tool: string, input: object, { key, says = 'cannot', asked }: CallOptions = {}) =>
        callTool(deps, hash, tool, input, {
          signal: new AbortController().signal,
          key: key ?? null,
          progress() {},
          confirm: async (question) => {
            asked?.push(question);
            return says;
          },
        }),
      reads: (who: Somebody) =>
        noteTokenReads(db, account, id as Parameters<typeof noteTokenReads>[2], [who.chat]),
      revoke: () => tokens.revoke(name),
    };
  }

  const ledger = (actor: string) =>
    sql<{ action: string; outcome: string; reason: string }>(
      'SELECT action, outcome, reason FROM ledger WHERE actor = $1 ORDER BY seq',
      [actor],
    );
  return { ...harness, somebody, newClient, ledger };
}

const EVERYTHING: CreateToken['scopes'] = [
  'conversations:read',
  'conversations:write',
  'schedules:read',
  'schedules:write',
];
