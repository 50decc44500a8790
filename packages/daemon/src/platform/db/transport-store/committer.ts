// Writes the units of every account in the order of submission; all waiting units go into one transaction. Invariant:
// what is durable of an account is a prefix of what it submitted. When that can no longer be known, its store faults
// and must be opened again.
import { createHash } from 'node:crypto';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import {
  type KeyWrite,
  TransportStoreFault,
  type TransportUnit,
} from '@relay/core/ports/transport';
import pg from 'pg';
import { type ConnectionTarget, destroyConnection } from '../database.ts';
import {
  sealedCredentialsName,
  sealedJournalName,
  sealedKeyName,
  sealInboxContent,
} from './sealed.ts';

export interface CommitterOptions {
  /**
   * How long a batch collects units once several messages arrive at a time. A single message never waits for others.
   */
  readonly delayMs?: number;
  readonly maxUnits?: number;
  readonly maxBytes?: number;
  readonly prepare?: boolean;
  /** What the connection is called in the server's list of sessions. */
  readonly sessionName?: string;
}

/** The account a unit is written for, and the lease that allows it. */
interface UnitOwner {
  readonly account: AccountId;
  readonly epoch: number;
  readonly wireEpoch: number;
  readonly sealer: Sealer;
}

/** `forget` must be alone in its batch: parts of one statement do not see each other's writes. */
type CommitterWork = TransportUnit | 'forget';

/** The store of one account, as the committer sees it. */
export interface CommitterMember extends UnitOwner {
  readonly fault: TransportStoreFault | null;
  onCommitted(units: number): void;
  /** Also removes the member from the committer. */
  fail(fault: TransportStoreFault): void;
}

interface Entry {
  readonly owner: CommitterMember;
  readonly work: CommitterWork;
  readonly bytes: number;
  readonly done: PromiseWithResolvers<void>;
}

/** One sent message: a unit for its recipient, another for the sender's own phone. */
const SINGLE_MESSAGE_UNITS = 2;

/** Errors in the values themselves: only the unit that contains them is at fault, not the batch. */
const DATA_ERROR = /^(22|23|54)...$/;

export class Committer {
  readonly #target: ConnectionTarget;
  readonly #options: Required<CommitterOptions>;
  readonly #members = new Map<AccountId, CommitterMember>();
  readonly #queue: Entry[] = [];
  #connection: Promise<CommitterConnection> | null = null;
  #running: Promise<void> | null = null;
  #lastBatch = 0;

  constructor(target: ConnectionTarget, options: CommitterOptions = {}) {
    this.#target = target;
    this.#options = {
      delayMs: 1,
      maxUnits: 512,
      maxBytes: 8 << 20,
      prepare: true,
      sessionName: 'relay wire',
      ...options,
    };
  }

  /** Connects if needed, and replaces a store that was open for the account. */
  async connectFor(account: AccountId): Promise<void> {
    this.#dismiss(account);
    const connection = this.#connect();
    try {
      await connection;
    } catch (cause) {
      this.#lose(connection, cause);
      throw new TransportStoreFault('unavailable', 'the database does not answer', { cause });
    }
  }

  join(member: CommitterMember): void {
    this.#dismiss(member.account);
    this.#members.set(member.account, member);
  }

  /** Its waiting units are not written. */
  leave(member: CommitterMember, fault: TransportStoreFault): void {
    if (this.#members.get(member.account) === member) this.#members.delete(member.account);
    const others = this.#queue.filter((entry) => entry.owner !== member);
    const own = this.#queue.filter((entry) => entry.owner === member);
    this.#queue.splice(0, this.#queue.length, ...others);
    for (const { done } of own) done.reject(fault);
  }

  submit(owner: CommitterMember, work: CommitterWork): Promise<void> {
    const done = Promise.withResolvers<void>();
    // Callers that do not await a unit learn of the fault through `onFault`.
    done.promise.catch(() => {});
    if (owner.fault !== null) done.reject(owner.fault);
    else {
      this.#queue.push({ owner, work, bytes: work === 'forget' ? 0 : bytesOf(work), done });
      this.#running ??= this.#run();
    }
    return done.promise;
  }

  /** The network has swallowed the connection: what waits on it fails at once. */
  cut(): void {
    this.#connection?.then((open) => open.cut()).catch(() => {});
  }

  /** Writes what is waiting, then closes. */
  async close(): Promise<void> {
    await this.#running;
    const connection = this.#connection;
    if (connection === null) return;
    this.#lose(connection, new Error('the committer is closed'));
    await connection.then((open) => open.close()).catch(() => {});
  }

  #dismiss(account: AccountId): void {
    this.#members
      .get(account)
      ?.fail(new TransportStoreFault('lease_lost', 'the store was opened again'));
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await turn();
      if (this.#lastBatch > SINGLE_MESSAGE_UNITS && this.#options.delayMs > 0)
        await sleep(this.#options.delayMs);
      const batch = this.#take();
      this.#lastBatch = batch.length;
      if (batch.length > 0) await this.#write(batch);
    }
    this.#running = null;
  }

  #take(): Entry[] {
    let count = 0;
    let bytes = 0;
    for (const entry of this.#queue) {
      const alone = entry.work === 'forget';
      bytes += entry.bytes;
      const full = count === this.#options.maxUnits || bytes > this.#options.maxBytes;
      if (count > 0 && (alone || full)) break;
      count++;
      if (alone) break;
    }
    return this.#queue.splice(0, count);
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const connection = this.#connect();
    try {
      settle(batch, await (await connection).write(batchToQuery(batch)));
    } catch (error) {
      if (!isDataError(error)) {
        this.#lose(connection, error);
        rejectAll(batch);
      } else if (batch.length > 1) await this.#writeSingly(batch);
      else {
        batch[0]?.owner.fail(unavailable(error));
        rejectAll(batch);
      }
    }
  }

  async #writeSingly(batch: readonly Entry[]): Promise<void> {
    for (const entry of batch) {
      // After a failed unit, skip the account's later units.
      if (entry.owner.fault === null) await this.#write([entry]);
      else rejectAll([entry]);
    }
  }

  #connect(): Promise<CommitterConnection> {
    if (this.#connection !== null) return this.#connection;
    const connection: Promise<CommitterConnection> = CommitterConnection.open(this.#target, {
      prepare: this.#options.prepare,
      sessionName: this.#options.sessionName,
      onLost: (error) => this.#lose(connection, error),
    });
    this.#connection = connection;
    return connection;
  }

  /** Memory and database may differ now: every store that uses the connection must stop. */
  #lose(connection: Promise<CommitterConnection>, error: unknown): void {
    // An error of a connection that was already replaced does not concern users of the new one.
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.then((open) => open.close()).catch(() => {});
    for (const member of [...this.#members.values()]) member.fail(unavailable(error));
  }
}

function settle(batch: readonly Entry[], held: ReadonlySet<number>): void {
  const counts = new Map<CommitterMember, number>();
  for (const { owner, done } of batch) {
    if (!held.has(owner.account)) {
      owner.fail(new TransportStoreFault('lease_lost', 'another worker acts for this account'));
    }
    if (owner.fault !== null) done.reject(owner.fault);
    else {
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
      done.resolve();
    }
  }
  for (const [owner, count] of counts) owner.onCommitted(count);
}

function rejectAll(batch: readonly Entry[]): void {
  for (const { owner, done } of batch) done.reject(owner.fault);
}

function bytesOf(unit: TransportUnit): number {
  let bytes = unit.credentials?.length ?? 0;
  for (const { value } of unit.keys ?? []) bytes += value?.length ?? 0;
  for (const { plain } of unit.journal ?? []) bytes += plain?.length ?? 0;
  for (const { stanza, content } of unit.inbox ?? []) bytes += stanza.length + content.length;
  return bytes;
}

const isDataError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DATA_ERROR.test(String(error.code));

const unavailable = (cause: unknown): TransportStoreFault =>
  new TransportStoreFault('unavailable', 'the database did not take a write', { cause });

// The connection that writes, outside the pool: its statements run one after the other, so what is durable is a prefix
// of what was sent. Once it is lost, the outcome of the last statement is unknown.

const SESSION_SETTINGS = {
  search_path: 'relay',
  timezone: 'UTC',
  // It writes for every account of the process, into tables that are shared for this.
  'relay.account': '*',
  // The plan never depends on the arrays, and planning costs more than executing.
  plan_cache_mode: 'force_generic_plan',
  lock_timeout: '10s',
  statement_timeout: '30s',
};

const sessionOptions = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');
const localSessionSettings = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
  .join('; ');

/** A server that does not even cancel by itself counts as gone. */
const SILENCE_MS = 40_000;

interface CommitterConnectionOptions {
  /** Off for a connection pooler that passes a connection on after every transaction. */
  readonly prepare: boolean;
  readonly sessionName: string;
  onLost(error: unknown): void;
}

class CommitterConnection {
  readonly #client: pg.Client;
  readonly #prepare: boolean;

  private constructor(client: pg.Client, prepare: boolean) {
    this.#client = client;
    this.#prepare = prepare;
  }

  static async open(
    target: ConnectionTarget,
    options: CommitterConnectionOptions,
  ): Promise<CommitterConnection> {
    const client = new pg.Client({
      ...target,
      // A pooler in transaction mode accepts no such options: each transaction sets them.
      ...(options.prepare ? { options: sessionOptions } : {}),
      application_name: options.sessionName,
      connectionTimeoutMillis: 10_000,
      query_timeout: SILENCE_MS,
      keepAlive: true,
    });
    client.on('error', (error) => options.onLost(error));
    client.on('end', () => options.onLost(new Error('the connection ended')));
    await client.connect();
    return new CommitterConnection(client, options.prepare);
  }

  /** Returns the accounts whose lease we hold: nothing was written for the others. */
  async write({ name, text, values }: BatchQuery): Promise<ReadonlySet<number>> {
    if (!this.#prepare) await this.#client.query(`BEGIN; ${localSessionSettings}`);
    // An error ends the transaction that it is in, or the connection.
    const { rows } = await this.#client
      .query<[string]>({ ...(this.#prepare ? { name } : {}), text, values, rowMode: 'array' })
      .finally(() => (this.#prepare ? undefined : this.#client.query('COMMIT')));
    return new Set(rows.map(([account]) => Number(account)));
  }

  cut(): void {
    destroyConnection(this.#client);
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}

// Combines the units of a batch into the columns of one statement. Of several writes to one key only the last is
// encrypted and written: a ratchet that advanced a hundred times is written once.

interface BatchQuery {
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
    const sealed =
      plain === null
        ? NO_BYTES
        : columns.bytes(sealer.seal(sealedJournalName(account, digest), plain));
    columns.add('journal', account, ...columns.bytes(digest), ...sealed);
  }
  for (const entry of unit.inbox ?? []) {
    const chat = storableId(entry.chat);
    const sender = storableId(entry.sender);
    const message_id = storableId(entry.id);
    const sealed = sealInboxContent(sealer, account, { chat, sender, message_id }, entry.content);
    const stanza = columns.bytes(entry.stanza);
    const content = columns.bytes(sealed);
    columns.add('inbox', account, chat, sender, message_id, ...stanza, ...content);
  }
}

/** Becomes NULL. */
const NO_BYTES = [null, null] as const;

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
    types: ['int8', 'text', 'text', 'text', 'int4', 'int4', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO inbox (account_id, chat, sender, message_id, stanza, content)
       SELECT u.a, u.b, u.c, u.d, ${cutBytesSql('e', 'f')}, ${cutBytesSql('g', 'h')} ${rows} ON CONFLICT DO NOTHING`,
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
    const columns = types.map((_, index) => 'abcdefgh'[index]).join(', ');
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
