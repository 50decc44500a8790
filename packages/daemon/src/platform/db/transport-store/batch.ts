// Combines the units of a batch into the columns of one statement. Of several writes to one key only the last is
// encrypted and written: a ratchet that advanced a hundred times is written once.

import { createHash } from 'node:crypto';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import type { KeyWrite, TransportUnit } from '@relay/core/ports/transport';
import {
  sealedCredentialsName,
  sealedJournalName,
  sealedKeyName,
  sealInboxContent,
} from './sealed.ts';

/** The account a unit is written for, and the lease that allows it. */
export interface UnitOwner {
  readonly account: AccountId;
  readonly epoch: number;
  readonly wireEpoch: number;
  readonly sealer: Sealer;
}

/** `forget` must be alone in its batch: parts of one statement do not see each other's writes. */
export type CommitterWork = TransportUnit | 'forget';

export interface BatchQuery {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

export function batchToQuery(
  batch: readonly { owner: UnitOwner; work: CommitterWork }[],
): BatchQuery {
  const columns = new BatchColumns();
  const keys = new Map<string, { owner: UnitOwner; id: string; write: KeyWrite }>();
  const credentials = new Map<UnitOwner, Uint8Array>();
  const owners = new Set<UnitOwner>();
  for (const { owner, work } of batch) {
    owners.add(owner);
    if (work === 'forget') {
      columns.add('forget', owner.account);
      continue;
    }
    for (const write of work.keys ?? []) {
      const id = storableId(write.id);
      keys.set(`${owner.account}/${write.kind}/${id}`, { owner, id, write });
    }
    if (work.credentials !== undefined) credentials.set(owner, work.credentials);
    addReceived(columns, owner, work);
  }
  for (const { owner, id, write } of keys.values()) {
    const { account, sealer } = owner;
    if (write.value === null) columns.add('remove', account, write.kind, id);
    else {
      const sealed = sealer.seal(sealedKeyName(account, write.kind, id), write.value);
      columns.add('put', account, write.kind, id, ...columns.bytes(sealed));
    }
  }
  for (const [{ account, sealer }, value] of credentials) {
    const sealed = sealer.seal(sealedCredentialsName(account), value);
    columns.add('credentials', account, ...columns.bytes(sealed));
  }
  return columns.toQuery(owners);
}

function addReceived(
  columns: BatchColumns,
  { account, sealer }: UnitOwner,
  unit: TransportUnit,
): void {
  for (const { digest, plain } of unit.journal ?? []) {
    const sealed = sealer.seal(sealedJournalName(account, digest), plain);
    columns.add('journal', account, ...columns.bytes(digest), ...columns.bytes(sealed));
  }
  for (const entry of unit.inbox ?? []) {
    const chat = storableId(entry.chat);
    const sender = storableId(entry.sender);
    const message_id = storableId(entry.id);
    const sealed = sealInboxContent(sealer, account, { chat, sender, message_id }, entry.content);
    const stanza = columns.bytes(entry.stanza);
    const content = columns.bytes(sealed);
    const digest = columns.bytes(entry.digest ?? new Uint8Array());
    columns.add('inbox', account, chat, sender, message_id, ...stanza, ...content, ...digest);
  }
}

class BatchColumns {
  readonly #columns = new Map<PartName, unknown[][]>();
  readonly #chunks: Uint8Array[] = [];
  #end = 1;

  add(part: PartName, ...row: readonly unknown[]): void {
    let columns = this.#columns.get(part);
    if (columns === undefined) {
      columns = STATEMENT_PARTS[part].types.map(() => []);
      this.#columns.set(part, columns);
    }
    for (const [index, column] of columns.entries()) column.push(row[index]);
  }

  /** The position of the bytes in the shared parameter, counted from 1, and their length. */
  bytes(chunk: Uint8Array): [offset: number, length: number] {
    const offset = this.#end;
    this.#chunks.push(chunk);
    this.#end += chunk.length;
    return [offset, chunk.length];
  }

  toQuery(owners: ReadonlySet<UnitOwner>): BatchQuery {
    const parts = PART_NAMES.filter((part) => this.#columns.has(part));
    const held = [...owners];
    return {
      ...batchStatement(parts),
      values: [
        Buffer.concat(this.#chunks),
        held.map((owner) => owner.account),
        held.map((owner) => owner.epoch),
        held.map((owner) => owner.wireEpoch),
        ...parts.flatMap((part) => this.#columns.get(part) ?? []),
      ],
    };
  }
}

// One statement writes a whole batch: one transaction, one round trip. It contains only the parts a batch needs; values
// travel in one binary parameter and are cut out by offset. Every part writes only for accounts whose lease we still
// hold, and the returned rows are those accounts.

type PartName = 'put' | 'remove' | 'journal' | 'inbox' | 'credentials' | 'forget';

interface StatementPart {
  /** Of the columns a, b, c, …; `a` is the account. */
  readonly types: readonly string[];
  /** `rows` are the unnested columns of accounts whose lease is held. Several statements may share them. */
  sql(rows: string): readonly string[];
}

const cutBytesSql = (from: string, length: string): string =>
  `substring(bytes.d from u.${from} for u.${length})`;

const STATEMENT_PARTS: Readonly<Record<PartName, StatementPart>> = {
  put: {
    types: ['int8', 'int2', 'text', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO whatsapp_keys (account_id, kind, id, value)
       SELECT u.a, u.b, u.c, ${cutBytesSql('d', 'e')} ${rows}
       ON CONFLICT (account_id, kind, id) DO UPDATE SET value = EXCLUDED.value`,
    ],
  },
  remove: {
    types: ['int8', 'int2', 'text'],
    sql: (rows) => [
      `DELETE FROM whatsapp_keys k USING (SELECT u.a, u.b, u.c ${rows}) AS gone
       WHERE k.account_id = gone.a AND k.kind = gone.b AND k.id = gone.c`,
    ],
  },
  journal: {
    types: ['int8', 'int4', 'int4', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO decrypt_journal (account_id, digest, plain)
       SELECT u.a, ${cutBytesSql('b', 'c')}, ${cutBytesSql('d', 'e')} ${rows} ON CONFLICT DO NOTHING`,
    ],
  },
  // The rows come in the order of the arrays, so `seq` follows the order of submission.
  inbox: {
    types: ['int8', 'text', 'text', 'text', 'int4', 'int4', 'int4', 'int4', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO inbox (account_id, chat, sender, message_id, stanza, content, digest)
       SELECT u.a, u.b, u.c, u.d, ${cutBytesSql('e', 'f')}, ${cutBytesSql('g', 'h')}, ${cutBytesSql('i', 'j')} ${rows} ON CONFLICT DO NOTHING`,
    ],
  },
  credentials: {
    types: ['int8', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO whatsapp_credentials (account_id, value) SELECT u.a, ${cutBytesSql('b', 'c')} ${rows}
       ON CONFLICT (account_id) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`,
    ],
  },
  forget: {
    types: ['int8'],
    sql: (rows) => [
      `DELETE FROM whatsapp_keys WHERE account_id IN (SELECT u.a ${rows})`,
      `DELETE FROM whatsapp_credentials WHERE account_id IN (SELECT u.a ${rows})`,
    ],
  },
};

const BYTES_CTE = 'bytes AS MATERIALIZED (SELECT $1::bytea AS d)';

/** A takeover waits for this lock and then changes the epoch. */
const HELD_CTE = `held AS MATERIALIZED (
  SELECT l.account_id FROM account_leases l
    JOIN unnest($2::int8[], $3::int8[], $4::int8[]) AS u(account, epoch, wire)
      ON l.account_id = u.account AND l.epoch = u.epoch AND l.wire_epoch = u.wire
  FOR KEY SHARE OF l)`;

const PART_NAMES = Object.keys(STATEMENT_PARTS) as PartName[];

const statementTexts = new Map<string, string>();

/** The name is derived from the text, so that each combination is planned once for a connection. */
function batchStatement(parts: readonly PartName[]): { name: string; text: string } {
  const name = `wire ${parts.join(' ')}`;
  const text = statementTexts.get(name) ?? composeStatement(parts);
  statementTexts.set(name, text);
  return { name, text };
}

function composeStatement(parts: readonly PartName[]): string {
  let parameter = 4;
  const writes = parts.flatMap((part) => {
    const { types, sql } = STATEMENT_PARTS[part];
    const arrays = types.map((type) => `$${++parameter}::${type}[]`).join(', ');
    const columns = types.map((_, index) => 'abcdefghij'[index]).join(', ');
    // A filter, not a join: a join could change the order of the rows.
    const rows = `FROM bytes, unnest(${arrays}) AS u(${columns})
       WHERE u.a = ANY (ARRAY(SELECT account_id FROM held))`;
    return sql(rows).map((text, index) => `${part}_${index} AS (${text})`);
  });
  return `WITH ${[BYTES_CTE, HELD_CTE, ...writes].join(',\n')} SELECT account_id FROM held`;
}

// Makes ids from WhatsApp storable and indexable in PostgreSQL. Senders choose them, so they may contain NUL or lone
// surrogates, or be longer than an index allows: one such id must not stop a batch.

/** Three of these at their longest still fit one index entry. */
const LONGEST_PLAIN_ID = 200;

/** Equal ids give equal results, different ids different ones. */
export function storableId(id: string): string {
  const plain =
    id.length <= LONGEST_PLAIN_ID && !id.startsWith('~') && !id.includes('\0') && id.isWellFormed();
  if (plain) return id;
  return `~${createHash('sha256').update(id, 'utf16le').digest('base64url')}`;
}
