// What was said before about what is asked now: past messages that the assistant may read, put under the
// question as lines, one message a line, so that no message can pretend to be another or to be the owner.
import {
  changed,
  fromChat,
  joined,
  type Labelled,
  prompt,
  trusted,
} from '@relay/core/agent/labelled';
import type { ChatId, RunId } from '@relay/core/ids';
import { oneLine } from '../../tools/assistant/summary.ts';

export interface PastMessage {
  readonly chat: ChatId;
  readonly at: Date;
  /** The name of whoever wrote it, or `me`. */
  readonly sender: string;
  readonly text: string;
}

const MOST_TEXT = 500;

/** Marks of this turn alone: a message can close them neither by guessing nor with those of another turn. */
export const marksOf = (run: RunId): readonly [open: string, close: string] => {
  const word = run.slice(0, 8);
  return [`<others-${word}>`, `</others-${word}>`];
};

export function withContext(
  question: Labelled,
  found: readonly PastMessage[],
  { run, zone }: { readonly run: RunId; readonly zone: string },
): Labelled {
  if (found.length === 0) return question;
  const [open, close] = marksOf(run);
  const lines = found.map(({ chat, at, sender, text }) =>
    fromChat(`[${localTime(at, zone)}] ${plain(sender)}: ${plain(text)}`, chat),
  );
  const marked = joined([trusted(open), ...lines, trusted(close)], '\n');
  return prompt`${question}\n\nRelevant context from past messages:\n${marked}`;
}

/** A forwarded message or a file's name, between the marks of other people's text. */
export function quoteUntrusted(text: Labelled, run: RunId): Labelled {
  const [open, close] = marksOf(run);
  const inside = changed(text, unmarked);
  return prompt`Your owner passed this on; somebody else wrote it:\n${trusted(open)}\n${inside}\n${trusted(close)}`;
}

const plain = (text: string): string => unmarked(oneLine(text).slice(0, MOST_TEXT));

const unmarked = (text: string): string => text.replace(LIKE_A_MARK, '‹');

const LIKE_A_MARK = /<(?=[\s/]*others-[0-9a-f]{8})/gi;

/** As in 2026-02-10T14:30:00, on the owner's clock. */
const localTime = (at: Date, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone })
    .format(at)
    .replace(' ', 'T');
