// Harness with a database of messages and a search over it, for tests and benchmarks.
import { randomUUID } from 'node:crypto';
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { memorySchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import type { EmbedderSource, MemorySetup } from '@relay/core/ports/embedder';
import type { TestStore } from '@relay/testing/store';
import { findOrMakeChats } from '../../../platform/db/chats.ts';
import { aliasesOfAddresses, resolveSightings } from '../../../platform/db/contacts.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Lease, takeLease } from '../../../platform/db/lease.ts';
import { type MessageToStore, putMessages } from '../../../platform/db/messages.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { openSearch } from '../feature.ts';

/** The same holder for all of them, so that each takes over the previous lease. */
const HOLDER = randomUUID();

export interface Said {
  readonly chat: ChatId;
  /** Null: the account itself. */
  readonly by?: ContactId | null;
  readonly text: string;
  readonly at?: Date;
  readonly kind?: string;
}

export interface Person {
  readonly contact: ContactId;
  readonly chat: ChatId;
}

export async function openChatter(
  { database: { kysely: db }, account, sql }: Omit<TestStore, 'url' | 'daemonUrl'>,
  {
    now = () => new Date(),
    zone = 'UTC',
    admins = [] as readonly string[],
    embedder = (async () => null) as EmbedderSource,
    lease: held = null as Lease | null,
  } = {},
) {
  const lease = held ?? (await leaseOf(db, account));
  const opened = openSearch({
    db,
    lease,
    log: silentLog,
    now,
    admins,
    zone,
    embeddings: noChoice(embedder),
    events: { subscribe: () => () => {}, hint: () => {} },
  });
  let count = 0;

  async function person(name: string, phone = `4915100${100_000 + ++count}`): Promise<Person> {
    return transaction({ db, lease }, async ({ tx }) => {
      const [contact] = await resolveSightings(tx, account, [
        aliasesOfAddresses([`${phone}@s.whatsapp.net`]),
      ]);
      if (contact === undefined) throw new Error('nobody');
      await tx
        .updateTable('contacts')
        .set({ display_name: name })
        .where('account_id', '=', account)
        .where('id', '=', contact)
        .execute();
      const chats = await findOrMakeChats(tx, account, { contacts: [contact], groups: [] });
      return { contact, chat: chats.byContact.get(contact) as ChatId };
    });
  }

  async function group(subject: string): Promise<ChatId> {
    const address = `12036304${1_000_000 + ++count}@g.us`;
    const { byGroup } = await transaction({ db, lease }, ({ tx }) =>
      findOrMakeChats(tx, account, { contacts: [], groups: [address] }),
    );
    const chat = byGroup.get(address) as ChatId;
    await sql('UPDATE chats SET subject = $2 WHERE id = $1', [chat, subject]);
    return chat;
  }

  async function say(...lines: readonly Said[]): Promise<readonly MessageId[]> {
    const messages = lines.map(
      ({ chat, by = null, text, at = now(), kind = 'conversation' }): MessageToStore => ({
        chat,
        sender: by,
        id: randomUUID() as string as MessageId,
        sentAt: at,
        kind,
        body: text,
        quotedId: null,
        media: null,
        isLate: false,
        source: 'whatsapp',
        inboxSeq: null,
      }),
    );
    await transaction({ db, lease }, ({ tx }) => putMessages(tx, account, messages));
    return messages.map(({ id }) => id);
  }

  async function grant(of: { contact: ContactId } | { group: ChatId }, canRead = true) {
    await sql(
      `INSERT INTO grants (account_id, contact_id, chat_id, display_name, can_read) VALUES ($1, $2, $3, 'granted', $4)`,
      [account, 'contact' in of ? of.contact : null, 'group' in of ? of.group : null, canRead],
    );
  }

  /** Grants read access to a chat, direct or group. */
  async function grantChat(chat: ChatId) {
    await sql(
      `INSERT INTO grants (account_id, contact_id, chat_id, display_name, can_read)
       SELECT account_id, contact_id, CASE WHEN kind = 'group' THEN id END, '', true FROM chats WHERE id = $1`,
      [chat],
    );
  }

  return { ...opened, lease, grantChat, person, group, say, grant };
}

/** A memory setup with the test's embedder and no choice of models. */
export function noChoice(current: EmbedderSource): MemorySetup {
  const settings = memorySchema.parse({});
  return { current, read: async () => settings, save: async () => {}, open: current };
}

async function leaseOf(db: Db, account: AccountId): Promise<Lease> {
  const lease = await takeLease(db, account, HOLDER);
  if (lease === null) throw new Error('a fresh account is free');
  return lease;
}
