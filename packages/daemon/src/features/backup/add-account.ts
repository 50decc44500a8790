// Adds the account of an archive to a home that has others: under a number and a name of its own, and encrypted with the
// keys that belong to that number.
import { RelayError } from '@relay/contract/errors';
import type { AccountId, MessageId } from '@relay/contract/ids';
import {
  ACCOUNT_SECRETS,
  accountSecretName,
  builtMessageName,
  type Sealer,
} from '@relay/core/ports/sealer';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, setAccount, type Transaction } from '../../platform/db/database.ts';
import { openInboxContent, sealInboxContent } from '../../platform/db/transport-store/sealed.ts';
import { invalidArchive } from './archive.ts';

type Sealers = Pick<Sealer, 'forAccount'>;

/** Reserves the number. What is stored under it before the restore is committed belongs to nobody if it fails. */
export async function openAddedAccount(db: Db, name: string): Promise<AddedAccount> {
  const { rows } = await sql<{ id: AccountId }>`
    SELECT nextval(pg_get_serial_sequence('relay.accounts', 'id')) AS id`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a sequence without a value');
  return new AddedAccount(row.id, name);
}

export class AddedAccount {
  /** Its number in this home. */
  readonly id: AccountId;
  readonly #name: string;
  /** Its number in the archive; null until its row was read. */
  #former: AccountId | null = null;

  constructor(id: AccountId, name: string) {
    this.id = id;
    this.#name = name;
  }

  get former(): AccountId {
    if (this.#former === null) throw invalidArchive('it has no account');
    return this.#former;
  }

  /** Throws unless the archive has one account. Call it with each part of the table. */
  noteRows(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#former !== null) throw new RelayError('archive_of_several');
      this.#former = accountRowSchema.parse(JSON.parse(line)).id;
    }
  }

  /** Its row as this home has it: it belongs to the home's owner, and is nobody's default. */
  async toRow(
    tx: Transaction,
    line: string,
    { owner, former, sealer }: { owner: AccountId; former: Sealers | null; sealer: Sealers },
  ): Promise<string> {
    const row = accountRowSchema.parse(JSON.parse(line));
    await this.#refuseKnown(tx, row.phone);
    const { rows } = await sql<{ owner_id: number }>`
      SELECT owner_id FROM accounts WHERE id = ${owner}`.execute(tx);
    const settings: Record<string, unknown> = { ...row.settings };
    for (const secret of ACCOUNT_SECRETS) {
      const sealed = settings[secret];
      if (typeof sealed !== 'string' || former === null) continue;
      const plain = tryOpen(() =>
        former
          .forAccount(row.id)
          .open(accountSecretName(row.id, secret), Buffer.from(sealed, 'base64url')),
      );
      if (plain === null) continue;
      const resealed = sealer.forAccount(this.id).seal(accountSecretName(this.id, secret), plain);
      settings[secret] = Buffer.from(resealed).toString('base64url');
    }
    const own = { id: this.id, name: this.#name, owner_id: rows[0]?.owner_id, is_default: false };
    return JSON.stringify({ ...row, ...own, settings });
  }

  async #refuseKnown(tx: Transaction, phone: string | null): Promise<void> {
    const known = await tx
      .selectFrom('accounts')
      .select(['name', 'phone'])
      .where((row) => row.or([row('name', '=', this.#name), row('phone', '=', phone)]))
      .execute();
    const same = known.find((one) => phone !== null && one.phone === phone);
    if (same !== undefined) {
      throw new RelayError('account_phone_known', { phone: `+${phone}`, account: same.name });
    }
    if (known.length > 0) throw new RelayError('account_exists', { account: this.#name });
  }

  /** A row of any other table. */
  renumber(line: string): string {
    const renumbered = line.replace(/"account_id":\d+/, `"account_id":${this.id}`);
    const isOwn = (text: string, id: AccountId) => JSON.parse(text).account_id === id;
    if (isOwn(line, this.former) && isOwn(renumbered, this.id)) return renumbered;
    throw invalidArchive('it contains rows of another account');
  }

  /** A waiting job. Its key may begin with the account. */
  renumberJob(line: string): string {
    const job = archivedJobSchema.parse(JSON.parse(line));
    const [head, ...rest] = job.key.split(':');
    const key = head === `${this.former}` ? [this.id, ...rest].join(':') : job.key;
    return JSON.stringify({ ...job, key, data: { ...job.data, account: this.id } });
  }

  /** Gives everything that is encrypted to the number. What the former key does not open stays as it is. */
  async settle(tx: Transaction, former: Sealers | null, sealer: Sealers): Promise<void> {
    await setAccount(tx, this.id);
    // It would be valid in other accounts of this home.
    await sql`UPDATE tokens SET spans = NULL WHERE account_id = ${this.id}`.execute(tx);
    if (former !== null) {
      await this.#resealMessages(tx, former, sealer);
      await this.#resealBuilt(tx, former, sealer);
    }
    await setAccount(tx, '*');
  }

  async #resealMessages(tx: Transaction, former: Sealers, sealer: Sealers): Promise<void> {
    for (let after = 0; ; ) {
      const { rows } = await sql<SealedMessage>`
        SELECT id, sent_at::text AS at, message_id, content, chat_address AS chat, sender_address AS sender FROM messages
        WHERE account_id = ${this.id} AND id > ${after} AND content IS NOT NULL AND chat_address IS NOT NULL
          AND sender_address IS NOT NULL ORDER BY id LIMIT ${RESEALED_AT_ONCE}`.execute(tx);
      const resealed = rows.flatMap((row) => {
        const plain = tryOpen(() =>
          openInboxContent(former.forAccount(this.former), this.former, row),
        );
        if (plain === null) return [];
        const own = sealer.forAccount(this.id);
        return { ...row, content: Buffer.from(sealInboxContent(own, this.id, row, plain)) };
      });
      await sql`UPDATE messages m SET content = n.content
        FROM unnest(${resealed.map(({ at }) => at)}::timestamptz[], ${resealed.map(({ id }) => id)}::bigint[],
          ${resealed.map(({ content }) => content)}::bytea[]) AS n(at, id, content)
        WHERE m.account_id = ${this.id} AND m.sent_at = n.at AND m.id = n.id`.execute(tx);
      const last = rows.at(-1);
      if (last === undefined || rows.length < RESEALED_AT_ONCE) return;
      after = last.id;
    }
  }

  /** What was built and not sent yet. */
  async #resealBuilt(tx: Transaction, former: Sealers, sealer: Sealers): Promise<void> {
    const { rows } = await sql<{ id: string; message_id: MessageId; wire: Buffer }>`
      SELECT id, message_id, wire FROM outbox
      WHERE account_id = ${this.id} AND wire IS NOT NULL AND state IN ('pending', 'unknown')`.execute(
      tx,
    );
    for (const { id, message_id, wire } of rows) {
      const plain = tryOpen(() =>
        former.forAccount(this.former).open(builtMessageName(this.former, message_id), wire),
      );
      if (plain === null) continue;
      const name = builtMessageName(this.id, message_id);
      const resealed = Buffer.from(sealer.forAccount(this.id).seal(name, plain));
      await sql`UPDATE outbox SET wire = ${resealed} WHERE account_id = ${this.id} AND id = ${id}`.execute(
        tx,
      );
    }
  }
}

const RESEALED_AT_ONCE = 500;

interface SealedMessage {
  readonly id: number;
  /** To the microsecond, which a Date would lose. */
  readonly at: string;
  readonly message_id: string;
  readonly content: Buffer;
  readonly chat: string;
  readonly sender: string;
}

const accountRowSchema = z.looseObject({
  id: z.int().transform((id) => id as AccountId),
  phone: z.string().nullable(),
  settings: z.record(z.string(), z.unknown()).default({}),
});

const archivedJobSchema = z.looseObject({
  key: z.string(),
  data: z.record(z.string(), z.unknown()),
});

function tryOpen(open: () => Uint8Array): Uint8Array | null {
  try {
    return open();
  } catch {
    return null;
  }
}
