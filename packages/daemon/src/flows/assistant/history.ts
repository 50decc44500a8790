// What the owner and the assistant said, as they read it on coming back: each answer behind its question, with what
// its turn looked at and whose words it may be made of.
import type { AssistantLine, ListAssistantLines } from '@relay/core/api/assistant';
import type { ChatId, RunId } from '@relay/core/ids';
import type { Taint } from '@relay/core/policy/facts';
import { sql } from 'kysely';
import { placesOf } from '../../store/names.ts';
import type { SessionLine } from '../../store/sessions.ts';
import type { AssistantWorld } from './world.ts';

type HistoryWorld = Pick<AssistantWorld, 'db' | 'lease' | 'settings'>;

export async function readHistory(
  world: HistoryWorld,
  which: ListAssistantLines,
): Promise<readonly AssistantLine[]> {
  const lines = await readLines(world, which);
  const runs = lines.map(({ run_id }) => run_id).filter((run) => run !== null);
  const [steps, sources] = await Promise.all([readSteps(world, runs), readSources(world, runs)]);
  return lines.map(({ id, role, content, command, at, run_id }) => ({
    id: String(id),
    role: role === 'user' ? 'user' : 'assistant',
    content,
    command,
    at: at.toISOString(),
    run: run_id,
    steps: (run_id && steps.get(run_id)) ?? [],
    ...((run_id && sources.get(run_id)) ?? { sources: [], outside: false }),
  }));
}

async function readLines(
  { db, lease: { account } }: HistoryWorld,
  { limit, before }: ListAssistantLines,
): Promise<readonly SessionLine[]> {
  const place = sql`(coalesce(m.answers, m.id), m.id)`;
  const lines = await db
    .selectFrom('session_messages as m')
    .innerJoin('sessions as s', (on) =>
      on.onRef('s.account_id', '=', 'm.account_id').onRef('s.id', '=', 'm.session_id'),
    )
    .selectAll('m')
    .where('s.account_id', '=', account)
    .where('s.kind', '=', 'assistant')
    .where('s.key', '=', 'owner')
    .where('m.role', '<>', 'tool')
    .whereRef('m.id', '>', 's.begins_after')
    .$if(before !== undefined, (lines) =>
      lines.where(
        sql<boolean>`${place} < (SELECT coalesce(b.answers, b.id), b.id FROM session_messages b
          WHERE b.account_id = ${account} AND b.session_id = s.id AND b.id = ${before})`,
      ),
    )
    .orderBy(sql`coalesce(m.answers, m.id)`, 'desc')
    .orderBy('m.id', 'desc')
    .limit(limit)
    .execute();
  return lines.reverse();
}

async function readSteps(
  { db, lease: { account } }: HistoryWorld,
  runs: readonly RunId[],
): Promise<ReadonlyMap<RunId, AssistantLine['steps']>> {
  if (runs.length === 0) return new Map();
  const calls = await db
    .selectFrom('tool_calls')
    .select(['run_id', 'call_id', 'name', 'arguments', 'result'])
    .where('account_id', '=', account)
    .where('run_id', 'in', runs)
    .orderBy('at')
    .orderBy('call_id')
    .execute();
  const steps = calls.map(({ run_id, call_id: id, name, arguments: given, result }) => ({
    run: run_id,
    step: { id, name, arguments: given, result: result === null ? null : JSON.stringify(result) },
  }));
  const byRun = Map.groupBy(steps, ({ run }) => run);
  return new Map([...byRun].map(([run, made]) => [run, made.map(({ step }) => step)]));
}

type Sources = Pick<AssistantLine, 'sources' | 'outside'>;

/** The owner's own chat is no source: they know what they wrote. */
async function readSources(
  { db, lease: { account }, settings }: HistoryWorld,
  runs: readonly RunId[],
): Promise<ReadonlyMap<RunId, Sources>> {
  if (runs.length === 0) return new Map();
  const read = await db
    .selectFrom('runs')
    .select(['id', 'taint'])
    .where('account_id', '=', account)
    .where('id', 'in', runs)
    .execute();
  const taints = read.map(({ id, taint }) => ({ id, ...(taint as Partial<Taint> | null) }));
  const chats = taints.flatMap(({ chats = [] }) => chats as readonly ChatId[]);
  const places = await placesOf(db, account, settings.admin_phone_numbers, chats);
  return new Map(
    taints.map(({ id, chats = [], outside = false }) => [
      id,
      {
        outside,
        sources: chats.flatMap((chat) => {
          const place = places.get(chat);
          return place === undefined || place.kind === 'own'
            ? []
            : [{ chat_id: chat, name: place.name, is_group: place.kind === 'group' }];
        }),
      },
    ]),
  );
}
