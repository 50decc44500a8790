// Messages as programs are told them: one line each with a name and a time, as many as fit. A program has
// little room to read in, so what is left out is counted and can be asked for.
import { shortened } from '@relay/core/agent/window';
import { z } from 'zod';
import type { SaidMessage, Spot } from '../search/said.ts';

/** Of one message; what is longer is shown with its middle left out. */
const MOST_TEXT = 2_000;
/** Of one answer, in characters. */
const MOST_ANSWER = 40_000;

export const messageSchema = z.object({
  id: z.string().describe('The message, as `why` takes it.'),
  at: z.iso.datetime(),
  from: z
    .string()
    .describe('Who wrote it: "me" is the owner; else the owner’s name for them, or their own.'),
  from_me: z.boolean(),
  text: z.string().describe('Photos, voice notes and the like are a word in brackets.'),
});
export type ShownMessage = z.infer<typeof messageSchema>;

export const shownMessage = (said: SaidMessage): ShownMessage => ({
  id: said.message,
  at: said.at.toISOString(),
  from: said.senderName,
  from_me: said.sender === null && said.senderName === 'me',
  text: shortened(said.text, MOST_TEXT),
});

/** How many of the first fit into one answer; one does in any case. */
export function fitting(messages: readonly ShownMessage[]): number {
  let used = 0;
  const first = messages.findIndex(({ text, from }) => {
    used += text.length + from.length + 100;
    return used > MOST_ANSWER;
  });
  return first === -1 ? messages.length : Math.max(1, first);
}

/** Messages keep their place to the millisecond. */
export const cursorAt = ({ at, number }: Spot): string => `${at.getTime()}.${number}`;

const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

/** A cursor, or a time: null for what is neither. */
export function spotOf(text: string): Spot | null {
  const [, ms, number] = CURSOR.exec(text) ?? [];
  if (ms !== undefined) return { at: new Date(Number(ms)), number: Number(number) };
  const at = z.iso.datetime({ offset: true }).safeParse(text);
  return at.success ? { at: new Date(at.data), number: 0 } : null;
}
