// Whether a conversation's message gives away what its agent was told in confidence. What the contact and
// the owner said in it is read only when something was found: most messages quote nothing.
import type { AccountId, InstanceId } from '@relay/core/ids';
import { quotesPrivate } from '@relay/core/policy/private-words';
import type { Transaction } from '../store/database.ts';

export async function quotesPrivateWords(
  tx: Transaction,
  account: AccountId,
  instance: InstanceId,
  text: string,
  instructions: string | null,
): Promise<boolean> {
  const told = await tx
    .selectFrom('instances')
    .select(['objective', 'todos', 'summary', 'options', 'target_contact'])
    .where('account_id', '=', account)
    .where('id', '=', instance)
    .executeTakeFirst();
  if (told === undefined) return false;
  // One todo is a thing to say; the list of them is not.
  const todos = told.todos.map((todo) => todo.text).join('\n');
  const privateTexts = [told.objective, todos, told.summary ?? '', instructions ?? ''];
  const facts = told.options.facts ?? [];
  if (!quotesPrivate(text, { privateTexts, knownTexts: [], facts })) return false;
  const said = await tx
    .selectFrom('instance_messages')
    .select('content')
    .where('account_id', '=', account)
    .where('instance_id', '=', instance)
    .where('role', 'in', ['contact', 'manual'])
    .execute();
  const knownTexts = [told.target_contact, ...said.map(({ content }) => content)];
  return quotesPrivate(text, { privateTexts, knownTexts, facts });
}
