// Steps 4 and 5 of the way of a message: everything that is stored by now can be found, and what is like
// the question is looked up, as far as the grants let it be read.
import type { SearchHit } from '../../search/search.ts';
import type { Permitted } from '../../store/permitted.ts';
import type { SessionLine } from '../../store/sessions.ts';
import type { PastMessage } from './context.ts';
import type { AssistantWorld } from './world.ts';

export async function retrieved(
  { search }: AssistantWorld,
  question: SessionLine,
  permitted: readonly Permitted[],
): Promise<readonly PastMessage[]> {
  await search.caughtUp();
  const except = question.message_id === null ? {} : { except: question.message_id };
  const hits = await search.retrieve({ kind: 'assistant' }, question.content, except);
  // What was said to the assistant itself is in its memory already.
  const own = new Set(permitted.filter(({ kind }) => kind === 'own').map(({ chat }) => chat));
  return hits.map(pastMessage).filter(({ chat }) => !own.has(chat));
}

export const pastMessage = ({ chat, at, senderName, text }: SearchHit): PastMessage => ({
  chat,
  at,
  sender: senderName,
  text,
});
