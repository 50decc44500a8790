// One person to be planted: their ids, their tag, and how a row with canaries is written.
import { randomBytes, randomUUID } from 'node:crypto';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';

export type Sql = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

export interface PlantOptions {
  /** The group of several people; made for this one unless given. */
  readonly group?: ChatId;
  readonly at?: Date;
  /** A text too long for a page: it is kept compressed, beside the table. */
  readonly long?: boolean;
}

export class Sowing {
  readonly sql: Sql;
  readonly account: AccountId;
  readonly options: PlantOptions;
  /** Begins every canary: high entropy, so that no compression hides it. */
  readonly tag = `q${randomBytes(15).toString('hex')}`;
  readonly phone = `49${String(randomBytes(6).readUIntBE(0, 6)).padStart(12, '1').slice(0, 11)}`;
  readonly lid = `${this.tag}~lid~`;
  readonly contact = randomUUID() as ContactId;
  readonly chat = randomUUID() as ChatId;
  readonly group: ChatId;
  readonly instance = randomUUID();
  readonly session = randomUUID();
  readonly run = randomUUID();
  readonly at: Date;
  readonly messages: string[] = [];

  constructor(sql: Sql, account: AccountId, options: PlantOptions) {
    this.sql = sql;
    this.account = account;
    this.options = options;
    this.group = options.group ?? (randomUUID() as ChatId);
    this.at = options.at ?? new Date();
  }

  word(place: string): string {
    const word = `${this.tag}~${place}~`;
    if (this.options.long !== true || place !== 'messages.body') return word;
    return `${word} ${Array.from({ length: 4_000 }, (_, n) => `and ${n % 97} more words`).join(' ')}`;
  }

  put(table: string, row: Readonly<Record<string, unknown>>): Promise<unknown> {
    const all = { account_id: this.account, ...row };
    const names = Object.keys(all);
    return this.sql(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(all),
    );
  }

  /** A row with canaries in these columns, as text, bytes or JSON as the column needs it. */
  sow(
    table: string,
    row: Readonly<Record<string, unknown>>,
    as: { text?: string; json?: string; bytes?: string },
  ): Promise<unknown> {
    const each = (names: string | undefined, make: (word: string) => unknown) =>
      Object.fromEntries(
        (names?.split(' ') ?? []).map((name) => [name, make(this.word(`${table}.${name}`))]),
      );
    return this.put(table, {
      ...row,
      ...each(as.text, (word) => word),
      ...each(as.json, (word) => JSON.stringify({ words: word })),
      ...each(as.bytes, (word) => Buffer.from(word)),
    });
  }
}
