// Answers in the family group when the owner asks by name: a written sentence for the topics of the scene, else what
// the newest messages say about it.
import { readGroupLine } from '../group/group.ts';
import type { ChatRequest, Reply } from '../schemas.ts';
import { newestUserText } from '../transcript.ts';
import { answerAboutFamily } from './family.ts';
import { retellMessage } from './retell.ts';

const NOT_SEEN = 'I did not see that in the group.';
const MOST_SENTENCES = 2;

export function playGroupAnswer(request: ChatRequest): Reply {
  const prompt = newestUserText(request);
  const start = prompt.lastIndexOf('<owner-');
  const [, question = ''] =
    /<owner-[0-9a-f]{8}>\n(?:[^:\n]{1,60}: )?([\s\S]*?)\n<\/owner-/.exec(prompt.slice(start)) ?? [];
  const known = prompt.slice(0, start);
  return { text: answerAboutFamily(question, known) ?? answerFromMessages(question, known) };
}

function answerFromMessages(question: string, known: string): string {
  const wanted = new Set(stemsOf(question));
  const told = known.split('\n').flatMap((line) => {
    const read = readGroupLine(line);
    if (read === undefined || read.role === 'assistant') return [];
    const { who, role, words } = read;
    const isAbout = stemsOf(words).some((stem) => wanted.has(stem));
    if (!isAbout || /[?？؟]/.test(words)) return [];
    return retellMessage(role === 'owner' ? 'Alex' : who, words) ?? [];
  });
  return told.slice(-MOST_SENTENCES).join(' ') || NOT_SEEN;
}

const PLAIN = new Set(
  'annie what when where which whom about there with from this that will'.split(' '),
);

/** The beginnings of the meaningful words. */
const stemsOf = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}{4,}/gu) ?? [])
    .filter((word) => !PLAIN.has(word))
    .map((word) => word.slice(0, 5));
