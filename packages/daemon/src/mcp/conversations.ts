// Conversations as a program may see them: those with people it may deal with. Invariant: the words of a
// conversation are whose they are. Objective and steps are shown only to the program that wrote them, and
// what was said is handed out only where the grant lets it be read, once it is noted that it was.
import { type InstanceState, STATES } from '@relay/core/conversation/states';
import { RelayError } from '@relay/core/errors';
import type { ChatId, InstanceId } from '@relay/core/ids';
import { reasonSentence } from '@relay/core/policy/reasons';
import { type RawBuilder, sql } from 'kysely';
import { actorName } from '../gate/actor-names.ts';
import { readableChats } from '../search/scope.ts';
import { addressOfContact } from '../store/addresses.ts';
import type { Reader } from '../store/database.ts';
import { reachableChats } from '../store/permitted.ts';
import type { Call } from './tool.ts';

type Asking = Pick<Call, 'world' | 'program' | 'actor' | 'scope'>;

export interface SeenConversation {
  readonly id: InstanceId;
  readonly chat: ChatId;
  readonly address: string;
  /** The owner's name for them; of somebody without a record, what the program named them by. */
  readonly name: string;
  readonly state: InstanceState;
  /** This very program created it. */
  readonly own: boolean;
  /** What is said there may be read. */
  readonly readable: boolean;
  readonly objective: string;
  readonly todos: readonly { readonly text: string; readonly status: string }[];
  readonly reason: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly timer_due_at: Date | null;
  readonly follow_up_count: number;
  readonly max_followups: number;
  readonly sent: number;
  readonly received: number;
}

interface Which {
  readonly id?: InstanceId;
  readonly state?: InstanceState | undefined;
  readonly limit?: number;
}

/** The newest first. */
export async function seenConversations(
  { world, program, actor, scope }: Asking,
  db: Reader,
  { id, state, limit = 1 }: Which,
): Promise<SeenConversation[]> {
  const { admins } = world;
  const { account } = world.lease;
  const own = sql`i.created_by = ${actorName(actor)}`;
  const reach = { admins, contacts: program.contacts };
  const { rows } = await sql<SeenConversation>`
    SELECT i.id, i.chat_id AS chat, i.state, ${own} AS own, i.objective, i.todos, i.reason, i.created_at, i.updated_at,
      CASE WHEN a.follow_ups_suspended_since IS NULL THEN i.timer_due_at END AS timer_due_at, i.follow_up_count, i.max_followups, coalesce(g.display_name, i.target_contact) AS name,
      coalesce(${addressOfContact(sql.ref('i'))}, i.target_contact) AS address,
      i.chat_id IN (${readableChats(account, scope, admins)}) AS readable, ${lines('agent', 'manual')} AS sent,
      ${lines('contact')} AS received
    FROM instances i JOIN accounts a ON a.id = i.account_id
      LEFT JOIN grants g ON g.account_id = i.account_id AND g.contact_id = i.contact_id
    WHERE i.account_id = ${account} AND (${own} OR i.chat_id IN (${reachableChats(account, reach)}))
      AND (${program.contacts === null}::boolean OR i.contact_id = ANY(${program.contacts ?? []}::uuid[]))
      AND (${id ?? null}::uuid IS NULL OR i.id = ${id ?? null})
      AND (${state ?? null}::text IS NULL OR i.state = ${state ?? null})
    ORDER BY i.queue_seq DESC LIMIT ${limit}`.execute(db);
  return rows;
}

const lines = (...roles: readonly string[]): RawBuilder<number> => sql`(SELECT count(*)::integer
  FROM instance_messages m WHERE m.account_id = i.account_id AND m.instance_id = i.id AND m.role = ANY(${roles}))`;

export async function seenConversation(
  call: Asking,
  db: Reader,
  id: InstanceId,
): Promise<SeenConversation> {
  const [found] = await seenConversations(call, db, { id });
  if (found === undefined) throw new RelayError('conversation_unseen', { id });
  return found;
}

/** What is no word of anybody’s but the program’s own and the owner’s names. */
export const told = (seen: SeenConversation) => ({
  id: seen.id,
  chat_id: seen.address,
  name: seen.name,
  state: seen.state,
  meaning: STATES[seen.state],
  created_by_you: seen.own,
  created_at: seen.created_at.toISOString(),
  updated_at: seen.updated_at.toISOString(),
  next_follow_up_at: seen.timer_due_at?.toISOString() ?? null,
  follow_up_count: seen.follow_up_count,
  max_followups: seen.max_followups,
  messages_sent: seen.sent,
  messages_received: seen.received,
  todos_done: seen.todos.filter(({ status }) => status === 'completed').length,
  todos_total: seen.todos.length,
  ...(seen.own && { objective: seen.objective }),
  ...(seen.own && { todos: seen.todos.map(({ text, status }) => ({ text, status })) }),
});

export interface Said {
  readonly from: 'agent' | 'owner' | 'contact';
  readonly text: string;
  readonly at: Date;
}

/** The newest lines, in their order; what the system noted there is for the owner and the agent. */
export async function transcriptOf(
  call: Asking & Pick<Call, 'noteRead'>,
  db: Reader,
  { id, chat, readable }: SeenConversation,
  most: number,
): Promise<Said[]> {
  if (!readable) throw new RelayError('denied', { reason: reasonSentence('no_read_grant') });
  await call.noteRead(db, [chat]);
  const { rows } = await sql<Said>`
    SELECT CASE m.role WHEN 'manual' THEN 'owner' ELSE m.role END AS "from", m.content AS text, m.at
    FROM instance_messages m WHERE m.account_id = ${call.world.lease.account} AND m.instance_id = ${id}
      AND m.role <> 'system' ORDER BY m.id DESC LIMIT ${most}`.execute(db);
  return rows.reverse();
}
