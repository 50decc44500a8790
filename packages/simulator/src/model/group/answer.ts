// Scripted answers about a group: the lines that were shown and share words with the question, copied. It sorts
// a mention by its question mark and asks for a digest when it is asked about a group; it understands nothing.
import type { ChatRequest, Reply } from '../schemas.ts';
import { callsOfTurn, newestUserText, systemText } from '../transcript.ts';

const MOST_LINES = 3;
const LONGEST = 160;

/** Undefined for what is no question about a group. */
export function answeredFromGroup(request: ChatRequest): Reply | undefined {
  const system = systemText(request);
  const text = newestUserText(request);
  if (system.startsWith('You sort messages of a WhatsApp group')) return sorted(text);
  if (/^You are .{1,60}, the assistant of .{1,60}\. You read a WhatsApp group/.test(system))
    return { text: fromLines(asked(text), text.split('\n')) };
  return system.startsWith('You are the personal assistant')
    ? fromDigest(request, text)
    : undefined;
}

function sorted(text: string): Reply {
  const last = text.split('\n').findLast((line) => line.startsWith('{')) ?? '';
  return {
    text: JSON.stringify({ label: last.includes('?') ? 'direct_request' : 'mention_only' }),
  };
}

function fromDigest(request: ChatRequest, text: string): Reply | undefined {
  const question = text.split('\n')[0] ?? '';
  const offered = request.tools?.some(({ function: tool }) => tool.name === 'get_digest') === true;
  if (!offered || !/\bgroup\b/i.test(question)) return undefined;
  const result = callsOfTurn(request).find(({ name }) => name === 'get_digest')?.result;
  if (result === undefined)
    return { tool_calls: [{ name: 'get_digest', arguments: { hours: true } }] };
  const lines = result.replaceAll('\\n', '\n').split('\n');
  const told = fromLines(question, lines);
  return { text: told === NOTHING ? lines.slice(0, 3).join('\n') : told };
}

/** What the owner asks stands between the last marks. */
const asked = (text: string): string =>
  /<owner-[0-9a-f]{8}>\n(?:[^:\n]{1,60}: )?([\s\S]*?)\n<\/owner-/.exec(
    text.slice(text.lastIndexOf('<owner-')),
  )?.[1] ?? text;

const NOTHING = 'I did not see that in the group.';

function fromLines(question: string, lines: readonly string[]): string {
  const wanted = new Set(stemsOf(question));
  const found = lines
    .filter((line) => !line.includes(question.trim()) && !/^<|^\[?[\w ]*:?$/.test(line))
    .flatMap((line) => line.split(/(?<=”\.) /))
    .map((line, at) => ({
      line,
      at,
      shared: stemsOf(line).filter((stem) => wanted.has(stem)).length,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared || b.at - a.at)
    .slice(0, MOST_LINES)
    .sort((a, b) => a.at - b.at);
  if (found.length === 0) return NOTHING;
  return [...new Set(found.map(({ line }) => short(line)))].join(' ');
}

const PLAIN = new Set(
  'what happened when where which whom about there their with from this that group annie'.split(
    ' ',
  ),
);

/** The beginnings of the words that say something, each once. */
const stemsOf = (text: string): string[] => [
  ...new Set(
    (text.toLowerCase().match(/[\p{L}\p{M}]{4,}/gu) ?? [])
      .filter((word) => !PLAIN.has(word))
      .map((word) => word.slice(0, 5)),
  ),
];

const short = (line: string): string => {
  const plain = line
    .replace(/^\[[^\]]*\] /, '')
    .replace(/^[-•] /, '')
    .trim();
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1).trimEnd()}…`;
};
