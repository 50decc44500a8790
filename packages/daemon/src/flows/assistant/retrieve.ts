// Steps 4 and 5 of the way of a message: everything that is stored by now can be found, and what is like
// the question is looked up, as far as the grants let it be read. Whose words they are is noted first.
import type { SearchHit } from '../../search/search.ts';
import { fenced } from '../../store/fenced.ts';
import type { Permitted } from '../../store/permitted.ts';
import type { SessionLine } from '../../store/sessions.ts';
import type { ToolRun } from '../../tools/assistant/run.ts';
import type { PastMessage } from './context.ts';
import type { AssistantWorld } from './world.ts';

export async function retrieved(
  { search, db, lease }: AssistantWorld,
  question: SessionLine,
  run: ToolRun,
  permitted: readonly Permitted[],
): Promise<readonly PastMessage[]> {
  await search.caughtUp();
  const except = question.message_id === null ? {} : { except: question.message_id };
  const hits = await search.retrieve({ kind: 'assistant' }, question.content, except);
  // What was said to the assistant itself is in its memory already.
  const own = new Set(permitted.filter(({ kind }) => kind === 'own').map(({ chat }) => chat));
  const found = hits.map(pastMessage).filter(({ chat }) => !own.has(chat));
  const chats = [...new Set(found.map(({ chat }) => chat))];
  if (chats.length > 0) await fenced(db, lease, (tx) => run.noteRead(tx, chats));
  return found;
}

export const pastMessage = ({ chat, at, senderName, text }: SearchHit): PastMessage => ({
  chat,
  at,
  sender: senderName,
  text,
});
