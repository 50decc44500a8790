// Where jobs are fetched from. Not waited for until it is on the disk: a fetch that a power cut undoes is
// made anew, and who ran a job meanwhile finds that it is no longer theirs.
import type { Db } from 'pg-boss';
import type { Database } from '../store/database.ts';

/** An idle queue is asked the same thing every time, and little waits in it: that is planned once. */
export type Source = (idle: boolean) => Db;

export function jobSource({ pool, prepares }: Database): Source {
  const planned: Db = { executeSql: (text, values) => fetchPlanned(pool, text, values) };
  const anew: Db = { executeSql: (text, values) => fetchAnew(pool, text, values) };
  return (idle) => (idle && prepares ? planned : anew);
}

type Fetched = ReturnType<Db['executeSql']>;

/** A statement with values can only go alone. */
async function fetchAnew(pool: Database['pool'], text: string, values: unknown[] = []): Fetched {
  if (values.length > 0) return pool.query(text, values);
  const all: unknown = await pool.query(
    `SELECT set_config('synchronous_commit', 'off', true); ${text}`,
  );
  return (all as { rows: unknown[] }[]).at(-1) ?? { rows: [] };
}

/** Most of a fetch that finds one job is planning it. */
async function fetchPlanned(pool: Database['pool'], text: string, values: unknown[] = []): Fetched {
  const client = await pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL synchronous_commit = off');
    const fetched = await client.query({ name: nameOf(text), text, values });
    await client.query('COMMIT');
    client.release();
    return fetched;
  } catch (error) {
    // Not handed on: who knows what is left open on it.
    client.release(true);
    throw error;
  }
}

const names = new Map<string, string>();

/** One text a queue. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `relay_fetch_${names.size}`;
  names.set(text, name);
  return name;
}
