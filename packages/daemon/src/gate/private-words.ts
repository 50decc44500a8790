// Whether a message gives away what its agent was told in confidence, by itself or together with what the
// agent said last: of a conversation its objective and all that belongs to it, of an auto-reply its persona,
// of both what the owner tells all agents. What the contact and the owner said is read only when something
// was found: most messages quote nothing.
import type { AccountId, ChatId, InstanceId } from '@relay/core/ids';
import { quotesPrivate } from '@relay/core/policy/private-words';
import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Transaction } from '../store/database.ts';

/** So many lines, and so many characters of them, may hold the other pieces of a secret. */
const LINES = 40;
const CHARACTERS = 4_000;

export interface Speaking {
  readonly account: AccountId;
  readonly instance: InstanceId;
  /** What the owner tells all agents. */
  readonly instructions: string | null;
  /** Said in the same turn and not written down yet. */
  readonly sayingBefore: readonly string[];
}

export async function quotesPrivateWords(
  tx: Transaction,
  text: string,
  { account, instance, instructions, sayingBefore }: Speaking,
): Promise<boolean> {
  const told = await toldOf(tx, account, instance);
  if (told === undefined) return false;
  // One todo is a thing to say; the list of them is not.
  const todos = told.todos.map((todo) => todo.text).join('\n');
  const lines = told.lines.toReversed();
  // What Relay notes for the agent may hold the owner's own words, as when they reject a message.
  const notes = lines.flatMap(({ role, end }) => (role === 'system' ? [end] : [])).join('\n');
  const privateTexts = [told.objective, instructions ?? '', todos, told.summary ?? '', notes];
  const facts = told.options.facts ?? [];
  const spoken = lines.flatMap(({ role, end }) => (role === 'agent' ? [end] : []));
  const saidBefore = newest([...spoken, ...sayingBefore]);
  const words = { privateTexts, facts, saidBefore };
  if (!quotesPrivate(text, { ...words, knownTexts: [] })) return false;
  const said = await tx
    .selectFrom('instance_messages')
    .select('content')
    .where('account_id', '=', account)
    .where('instance_id', '=', instance)
    .where('role', 'in', ['contact', 'manual'])
    .execute();
  const knownTexts = [told.target_contact, ...said.map(({ content }) => content)];
  return quotesPrivate(text, { ...words, knownTexts });
}

interface AnswerFrom {
  readonly account: AccountId;
  readonly chat: ChatId;
  /** What the owner tells all agents. */
  readonly instructions: string | null;
}

/** The same of an answer to a contact, in the one session with them. */
export async function quotesPersona(
  tx: Transaction,
  text: string,
  { account, chat, instructions }: AnswerFrom,
): Promise<boolean> {
  const session = await tx
    .selectFrom('sessions as s')
    .leftJoin('grants as g', (join) =>
      join.onRef('g.account_id', '=', 's.account_id').onRef('g.contact_id', '=', 's.contact_id'),
    )
    .select(['s.id', sql<string | null>`g.options->>'persona'`.as('persona')])
    .where('s.account_id', '=', account)
    .where('s.kind', '=', 'auto_reply')
    .where('s.chat_id', '=', chat)
    .executeTakeFirst();
  const privateTexts = [instructions ?? '', session?.persona ?? ''];
  if (session === undefined || privateTexts.every((told) => told === '')) return false;
  const linesOf = (role: 'user' | 'assistant') =>
    tx
      .selectFrom('session_messages')
      .select('content')
      .where('account_id', '=', account)
      .where('session_id', '=', session.id)
      .where('role', '=', role)
      .orderBy('id', 'desc');
  const spoken = (await linesOf('assistant').limit(LINES).execute()).toReversed();
  const saidBefore = newest(spoken.map(({ content }) => content));
  const words = { privateTexts, facts: [], saidBefore };
  if (!quotesPrivate(text, { ...words, knownTexts: [] })) return false;
  const heard = await linesOf('user').execute();
  return quotesPrivate(text, { ...words, knownTexts: heard.map(({ content }) => content) });
}

/** The same of an answer in a group, of what the owner tells all agents. */
export async function quotesInstructions(
  tx: Transaction,
  text: string,
  { account, chat, instructions }: AnswerFrom,
): Promise<boolean> {
  const words = { privateTexts: [instructions ?? ''], facts: [] };
  if (!quotesPrivate(text, { ...words, knownTexts: [] })) return false;
  const { rows } = await sql<{ body: string }>`SELECT body FROM messages
    WHERE account_id = ${account} AND chat_id = ${chat}
    ORDER BY sent_at DESC, id DESC LIMIT ${LINES}`.execute(tx);
  return quotesPrivate(text, { ...words, knownTexts: rows.map(({ body }) => body) });
}

/** What its agent was told at first, and what it said and was told on the way, newest first. */
const toldOf = (tx: Transaction, account: AccountId, instance: InstanceId) =>
  tx
    .selectFrom('instances')
    .select(['objective', 'todos', 'summary', 'options', 'target_contact'])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('instance_messages')
          .select((of) => [
            'role',
            of.fn<string>('right', ['content', of.lit(CHARACTERS)]).as('end'),
          ])
          .where('account_id', '=', account)
          .where('instance_id', '=', instance)
          .where('role', 'in', ['agent', 'system'])
          .orderBy('id', 'desc')
          .limit(LINES),
      ).as('lines'),
    )
    .where('account_id', '=', account)
    .where('id', '=', instance)
    .executeTakeFirst();

function newest(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let left = CHARACTERS;
  for (const line of lines.slice(-LINES).toReversed()) {
    if (left === 0) break;
    const end = line.slice(-left);
    kept.unshift(end);
    left -= end.length;
  }
  return kept;
}
