// One statement writes a whole batch: one transaction, one round trip. It has only the parts a batch needs,
// values travel in one binary parameter and are cut out by offset. Every part writes only for accounts
// whose lease is still ours, and the rows of the answer are those accounts.

export type PartName = 'put' | 'remove' | 'journal' | 'inbox' | 'credentials' | 'forget';

interface Part {
  /** Of the columns a, b, c, …; `a` is the account. */
  readonly types: readonly string[];
  /** `rows` are the columns unnested, those of accounts that are held. Several statements may share them. */
  sql(rows: string): readonly string[];
}

const cut = (from: string, length: string): string =>
  `substring(bytes.d from u.${from} for u.${length})`;

export const PARTS: Readonly<Record<PartName, Part>> = {
  put: {
    types: ['int8', 'int2', 'text', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO whatsapp_keys (account_id, kind, id, value)
       SELECT u.a, u.b, u.c, ${cut('d', 'e')} ${rows}
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
       SELECT u.a, ${cut('b', 'c')}, ${cut('d', 'e')} ${rows} ON CONFLICT DO NOTHING`,
    ],
  },
  // The rows come in the order of the arrays, so `seq` follows the order of submission.
  inbox: {
    types: ['int8', 'text', 'text', 'text', 'int4', 'int4', 'int4', 'int4', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO inbox (account_id, chat, sender, message_id, stanza, content, digest)
       SELECT u.a, u.b, u.c, u.d, ${cut('e', 'f')}, ${cut('g', 'h')}, ${cut('i', 'j')} ${rows} ON CONFLICT DO NOTHING`,
    ],
  },
  credentials: {
    types: ['int8', 'int4', 'int4'],
    sql: (rows) => [
      `INSERT INTO whatsapp_credentials (account_id, value) SELECT u.a, ${cut('b', 'c')} ${rows}
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

const BYTES = 'bytes AS MATERIALIZED (SELECT $1::bytea AS d)';

/** A takeover waits for the lock, and after it the epoch is another one. */
const HELD = `held AS MATERIALIZED (
  SELECT l.account_id FROM account_leases l
    JOIN unnest($2::int8[], $3::int8[], $4::int8[]) AS u(account, epoch, wire)
      ON l.account_id = u.account AND l.epoch = u.epoch AND l.wire_epoch = u.wire
  FOR KEY SHARE OF l)`;

export const PART_NAMES = Object.keys(PARTS) as PartName[];

const texts = new Map<string, string>();

/** The name stands for the text, so that each combination is planned once for a connection. */
export function statement(parts: readonly PartName[]): { name: string; text: string } {
  const name = `wire ${parts.join(' ')}`;
  const text = texts.get(name) ?? compose(parts);
  texts.set(name, text);
  return { name, text };
}

function compose(parts: readonly PartName[]): string {
  let parameter = 4;
  const writes = parts.flatMap((part) => {
    const { types, sql } = PARTS[part];
    const arrays = types.map((type) => `$${++parameter}::${type}[]`).join(', ');
    const columns = types.map((_, index) => 'abcdefghij'[index]).join(', ');
    // A filter, not a join: a join could change the order of the rows.
    const rows = `FROM bytes, unnest(${arrays}) AS u(${columns})
       WHERE u.a = ANY (ARRAY(SELECT account_id FROM held))`;
    return sql(rows).map((text, index) => `${part}_${index} AS (${text})`);
  });
  return `WITH ${[BYTES, HELD, ...writes].join(',\n')} SELECT account_id FROM held`;
}
