// Reads a chat request: who wrote what, and what the current turn has done so far. Invariant: pure; the turn begins
// with the last user message, and everything before it is history.
import { textInPicture } from './media.ts';
import type { ChatRequest, Message } from './schemas.ts';

export interface TurnCall {
  /** 0 for the first answer of the turn that called tools. */
  round: number;
  name: string;
  arguments: string;
  /** Undefined while no tool message has answered it. */
  result: string | undefined;
}

/** With the words that can be seen in its pictures. */
export function messageText(message: Message): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(({ text, image_url }) => text ?? (image_url ? textInPicture(image_url.url) : ''))
    .join('\n');
}

const join = (messages: readonly Message[]): string => messages.map(messageText).join('\n');

export const systemText = ({ messages }: ChatRequest): string =>
  join(messages.filter(({ role }) => role === 'system' || role === 'developer'));

/** The consecutive user messages that opened this turn. */
export function openingText({ messages }: ChatRequest): string {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const before = messages.slice(0, last + 1).findLastIndex(({ role }) => role !== 'user');
  return join(messages.slice(before + 1, last + 1));
}

/** The newest user message alone. */
export function newestUserText({ messages }: ChatRequest): string {
  const message = messages.findLast(({ role }) => role === 'user');
  return message ? messageText(message) : '';
}

/** The tool results at the end of the request; empty if it ends with anything else. */
export function endingToolResults({ messages }: ChatRequest): string[] {
  const before = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(before + 1).map(messageText);
}

const turn = ({ messages }: ChatRequest): Message[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);

const spoken = (messages: readonly Message[]): string =>
  join(messages.filter(({ role }) => role !== 'system' && role !== 'developer'));

/** The messages the turn began with; they stay the same during the turn. */
export const contextText = ({ messages }: ChatRequest): string =>
  spoken(messages.slice(0, messages.findLastIndex(({ role }) => role === 'user') + 1));

export const turnText = (request: ChatRequest): string => spoken(turn(request));

export function callsOfTurn(request: ChatRequest): TurnCall[] {
  const messages = turn(request);
  const results = new Map(messages.map((message) => [message.tool_call_id, messageText(message)]));
  const rounds = messages.flatMap(({ tool_calls }) => (tool_calls?.length ? [tool_calls] : []));
  return rounds.flatMap((calls, round) =>
    calls.map(({ id, function: made }) => ({
      name: made.name,
      arguments: made.arguments,
      round,
      result: results.get(id),
    })),
  );
}

export const roundsOfTurn = (request: ChatRequest): number =>
  turn(request).filter(({ tool_calls }) => tool_calls?.length).length;
