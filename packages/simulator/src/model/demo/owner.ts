// The assistant of the demo, asked by the owner in the console: tells what came in, finds words, sends a note to
// somebody who is named. What it cannot do it says, with what can be asked instead.
import type { ChatRequest, Reply } from '../schemas.ts';
import { callsOfTurn, newestUserText, systemText } from '../transcript.ts';

const MOST_TOLD = 5;
const LONGEST = 100;

/** Undefined for questions about groups, which are answered elsewhere. */
export function ownerTurn(request: ChatRequest): Reply | undefined {
  const [question = ''] = newestUserText(request).split('\n');
  if (/\bgroup\b/i.test(question)) return undefined;
  const [made] = callsOfTurn(request);
  if (made?.result !== undefined) return told(made.name, made.result);
  const note = noteIn(question, systemText(request));
  if (note !== undefined) return calls('send_message', note);
  const [, wanted] =
    /\b(?:find|search(?: for)?|look for)\s+(.{2,80}?)[.?!]*$/i.exec(question) ?? [];
  if (wanted !== undefined) return calls('search_messages', { query: wanted });
  if (NEWS.test(question)) return calls('whatsapp_read_messages', { limit: 12 });
  return { text: /^\W*(?:hi|hello|hey)\b/i.test(question) ? `Hello! ${CAN}` : CAN };
}

const NEWS =
  /\b(?:miss(?:ed)?|new|news|unread|summar\w+|catch me up|what happened|who wrote|today|latest)\b/i;
const CAN =
  'I am the scripted model of this demo, so I know only a few things. Ask me what you missed, what happened in the family group, to find a word, or to tell Mom something.';

/** "Tell Mom that …", to somebody for whom there is a permission record. */
function noteIn(question: string, system: string) {
  const [, name, words] =
    /^(?:please )?(?:tell|write to|message|text)\s+(\p{L}+)[\s,:]*(?:that\s+)?(.{2,300})$/iu.exec(
      question.trim(),
    ) ?? [];
  if (name === undefined || words === undefined) return undefined;
  const records = [...system.matchAll(/^- (.+) \((\+?\d{5,15})\): canRead/gm)];
  const found = records.find(([, known = '']) =>
    known.toLowerCase().startsWith(name.toLowerCase()),
  );
  if (found?.[2] === undefined) return undefined;
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return { phone_number: found[2].replace('+', ''), message: text };
}

function told(name: string, result: string): Reply {
  if (name === 'send_message') return { text: outcomeOf(result) };
  const lines = linesIn(result);
  if (lines.length > 0) return { text: lines.join('\n') };
  const none = name === 'search_messages' ? 'I found nothing about that.' : 'Nothing new came in.';
  return { text: none };
}

function outcomeOf(result: string): string {
  if (result.includes('"sent"')) return 'Done, it is on its way.';
  if (result.includes('waiting_for_approval')) return 'It waits for your yes under Approvals.';
  return /said no/i.test(result)
    ? 'Then I leave it.'
    : 'That was refused: you have not allowed me to write to them.';
}

interface Line {
  readonly fromMe?: boolean;
  readonly fromName?: string | null;
  readonly sender?: string;
  readonly body?: string;
  readonly text?: string;
}

/** The newest of each person first, as a list. */
function linesIn(result: string): string[] {
  let messages: readonly Line[] = [];
  try {
    messages = (JSON.parse(result) as { messages?: Line[] }).messages ?? [];
  } catch {}
  return messages
    .filter(({ fromMe }) => fromMe !== true)
    .slice(-MOST_TOLD)
    .reverse()
    .map(({ fromName, sender, body, text }) => {
      const words = (body ?? text ?? '').replace(/\s+/g, ' ').slice(0, LONGEST);
      return `- **${fromName ?? sender ?? 'Somebody'}**: ${words}`;
    });
}

const calls = (name: string, given: Record<string, unknown>): Reply => ({
  tool_calls: [{ name, arguments: given }],
});
