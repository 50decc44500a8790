// Files that no table owns any more: a server that is killed while it writes a table anew leaves the half of it
// behind, for ever and with everything in it. Only for the private server, whose directory is at hand.
// Invariant: a file goes only if no transaction that could have made it is left, and no table came to own it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

/** The file of a table or an index, or a further piece of it; never one of a temporary table. */
const RELATION = /^(\d+)(_fsm|_vm|_init)?(\.\d+)?$/;

/** `settled` resolves when every transaction that runs now has ended. */
export async function removeOrphans(
  db: Reader,
  data: string,
  settled: () => Promise<boolean>,
): Promise<number> {
  const before = await unowned(db);
  if (before.size === 0 || !(await settled())) return 0;
  const orphans = [...(await unowned(db))].filter((path) => before.has(path));
  for (const path of orphans) await rm(join(data, path), { force: true });
  return orphans.length;
}

/** What was dropped is unlinked by a checkpoint; whatever is there after it belongs to a table or to nobody. */
async function unowned(db: Reader): Promise<Set<string>> {
  await sql`CHECKPOINT`.execute(db);
  const { rows } = await sql<{ folder: string; name: string }>`
    SELECT folder, name FROM (SELECT 'base/' || oid AS folder FROM pg_database WHERE datname = current_database()) d,
      LATERAL pg_ls_dir(folder) AS name`.execute(db);
  const { rows: owned } = await sql<{ node: string }>`
    SELECT pg_relation_filenode(oid)::text AS node FROM pg_class
    WHERE pg_relation_filenode(oid) IS NOT NULL`.execute(db);
  const nodes = new Set(owned.map(({ node }) => node));
  const files = rows.filter(({ name }) => {
    const node = RELATION.exec(name)?.[1];
    return node !== undefined && !nodes.has(node);
  });
  return new Set(files.map(({ folder, name }) => join(folder, name)));
}
