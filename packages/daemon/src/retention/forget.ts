// Erases a person or a group: their conversations end, then everything goes, in batches, the rows that name
// them last. Killed half-way, it is asked for again and goes on with what is left.
import type { ErasedCounts, ForgetPreview, Receipt } from '@relay/core/api/retention';
import { RelayError } from '@relay/core/errors';
import type { ChatId, ContactId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../store/database.ts';
import { eraseAnswers } from '../store/erase/answers.ts';
import { countErased } from '../store/erase/count.ts';
import { findDigests } from '../store/erase/digests.ts';
import { eraseAll } from '../store/erase/messages.ts';
import { digestsOf, messagesOf } from '../store/erase/parts.ts';
import { scour } from '../store/erase/scour.ts';
import { eraseTraces } from '../store/erase/traces.ts';
import { readChat, readNamed, readPerson, type Whom } from '../store/erase/who.ts';
import { eraseWhole } from '../store/erase/whole.ts';
import { fenced } from '../store/fenced.ts';
import { eraseEverywhere } from './enforce.ts';
import { staysAfter } from './stays.ts';
import type { RetentionWorld } from './world.ts';

const NAME = 'name:';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function previewOf(world: RetentionWorld, id: string): Promise<ForgetPreview> {
  const whom = await findWhom(world, id);
  return {
    id,
    kind: whom.kind,
    name: nameOf(whom),
    counts: await countErased(world.db, world.lease.account, whom),
    open_conversations: await countOpen(world, whom),
  };
}

export async function forget(world: RetentionWorld, id: string): Promise<Receipt> {
  const began = performance.now();
  const { db, lease, jobs, events, log, server } = world;
  const whom = await findWhom(world, id);
  if (whom.kind === 'person' && whom.contact !== null) await world.endConversations(whom.contact);
  const erased = await countErased(db, lease.account, whom);
  const outside_lines = await eraseDerived(world, whom);
  await eraseAll(db, lease, messagesOf(whom));
  await fenced(db, lease, async (tx) => {
    const ids = await eraseWhole(tx, lease.account, whom, figuresOf(erased));
    await jobs.forget(tx, ids);
  });
  events.hint();
  const scoured = await scour({ db, server });
  const ms = Math.round(performance.now() - began);
  log.info('forgotten', { event: whom.kind, count: erased.messages, ms });
  return {
    kind: whom.kind,
    erased,
    outside_lines,
    scoured,
    ms,
    stays: staysAfter({ kind: whom.kind, scoured, server, logsWords: world.logsWords }),
  };
}

/** What was made of their words, while it can still be told by them. */
async function eraseDerived(world: RetentionWorld, whom: Whom): Promise<number> {
  const { db, lease } = world;
  const lines = await eraseEverywhere(world, await findDigests(db, lease.account, digestsOf(whom)));
  await fenced(db, lease, async (tx) => {
    if (whom.kind === 'person') await eraseTraces(tx, lease.account, whom);
    await eraseAnswers(tx, lease.account, whom);
  });
  return lines;
}

async function findWhom({ db, lease }: RetentionWorld, id: string): Promise<Whom> {
  const found = await look(db, lease.account, id);
  if (found === null) throw new RelayError('not_found');
  if (found === 'self') throw new RelayError('forget_self');
  return found;
}

async function look(db: Reader, account: RetentionWorld['lease']['account'], id: string) {
  if (id.startsWith(NAME)) return readNamed(db, account, id.slice(NAME.length));
  if (!UUID.test(id)) return null;
  return (
    (await readPerson(db, account, id as ContactId)) ?? (await readChat(db, account, id as ChatId))
  );
}

const nameOf = (whom: Whom): string | null =>
  whom.kind === 'group' ? whom.name : (whom.names[0] ?? null);

async function countOpen({ db, lease }: RetentionWorld, whom: Whom): Promise<number> {
  if (whom.kind === 'group') return 0;
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM instances WHERE account_id = ${lease.account} AND contact_id = ${whom.contact}
      AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED')`.execute(db);
  return rows[0]?.count ?? 0;
}

const figuresOf = (counts: ErasedCounts): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
