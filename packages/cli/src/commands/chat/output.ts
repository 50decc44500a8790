// Prints a turn of the assistant: the answer's text on standard output as it streams, one line for each tool call on
// standard error. Invariant: when the turn is done the whole answer was printed, and no part of it twice.

import type { Approval } from '@relay/contract/api/approvals';
import type { AssistantEvent } from '@relay/contract/api/assistant';
import {
  formatCount,
  textWidth,
  toOneLine,
  toPrintable,
  truncateText,
  wrapText,
} from '../../format.ts';
import type { Terminal } from '../../terminal.ts';
import { describeApproval, formatRisks, quoteMessageText } from '../approvals.ts';

export interface AnswerPrinter {
  printEvent(event: AssistantEvent): void;
  /** Writes a line to standard error. */
  printNote(line: string): void;
  /** Ends the current line of the answer. */
  endLine(): void;
}

const UNKNOWN: ToolCall = { name: 'a tool', given: null };

export function createAnswerPrinter(terminal: Terminal): AnswerPrinter {
  const columns = () => terminal.size?.columns ?? null;
  const calls = new Map<string, ToolCall>();
  let flow: WordWrapper | null = null;
  /** The text of the current model step so far. */
  let said = '';

  function endLine(): void {
    if (flow === null) return;
    terminal.write(`${flow.end()}\n`);
    flow = null;
  }

  function printNote(line: string): void {
    endLine();
    terminal.notice(line);
  }

  function speak(delta: string): void {
    const words = flow === null ? delta.trimStart() : delta;
    said += delta;
    if (words === '') return;
    flow ??= createWordWrapper(columns());
    const written = flow.feed(words);
    if (written !== '') terminal.write(written);
  }

  function waiting(sentence: string): void {
    if (terminal.isInteractive) terminal.progress(terminal.colours.dim(sentence));
  }

  function finish(text: string): void {
    endLine();
    if (text.trim() === said.trim()) return;
    const room = columns();
    const whole = toPrintable(text).trimEnd();
    for (const line of room === null ? [whole] : wrapText(whole, room)) terminal.writeLine(line);
  }

  return {
    endLine,
    printNote,
    printEvent(event) {
      switch (event.type) {
        case 'run':
          return waiting('Thinking …');
        case 'text':
          return speak(event.delta);
        case 'text_reset':
          if (said.trim() !== '')
            printNote(terminal.colours.dim('  The model was interrupted. Trying again:'));
          said = '';
          return undefined;
        case 'tool_call': {
          endLine();
          said = '';
          const call = { name: event.name, given: event.arguments };
          calls.set(event.id, call);
          return waiting(formatToolCall(call, columns()));
        }
        case 'tool_result': {
          const line = formatToolResult(calls.get(event.id) ?? UNKNOWN, event.result, columns());
          return printNote(terminal.colours.dim(line));
        }
        case 'done':
          return finish(event.text);
        default:
          return endLine();
      }
    },
  };
}

// Wraps streamed text at the window's edge. A word is held back until it is complete; `end` returns the rest. Terminal
// control sequences are removed. Pure except for its position in the line.

interface WordWrapper {
  /** The text to write for this piece; can be empty. */
  feed(piece: string): string;
  /** The word that is still held back. */
  end(): string;
}

/** With null columns, text is passed through unwrapped. */
export function createWordWrapper(columns: number | null): WordWrapper {
  if (columns === null) return { feed: toPrintable, end: () => '' };
  let gap = '';
  let word = '';
  let at = 0;
  const flush = (): string => {
    if (word === '') return '';
    const size = textWidth(word);
    const breaks = at > 0 && at + gap.length + size > columns;
    const out = (breaks ? '\n' : gap) + word;
    at = breaks ? size : at + gap.length + size;
    gap = '';
    word = '';
    return out;
  };
  return {
    feed(piece) {
      let out = '';
      for (const character of toPrintable(piece)) {
        if (!/\s/.test(character)) {
          word += character;
          continue;
        }
        out += flush();
        if (character === '\n') {
          out += '\n';
          gap = '';
          at = 0;
        } else gap += ' ';
      }
      return out;
    },
    end: flush,
  };
}

// One line for each tool call, its result and the approval it needs. Pure.

const MOST_ARGUMENTS = 60;
const MOST_OUTCOME = 200;
/** Fewer characters of the arguments would be useless. */
const LEAST_ARGUMENTS = 10;

interface ToolCall {
  readonly name: string;
  readonly given: unknown;
}

/** `  · get_chats (limit: 5)`, with as much of the arguments as fits. */
export function formatToolCall(
  { name, given }: ToolCall,
  columns: number | null,
  after = ' …',
): string {
  const begin = `  · ${toOneLine(name)}`;
  const fields = fieldsOf(given).map(([key, value]) => `${key}: ${shown(value)}`);
  const room =
    (columns ?? Number.POSITIVE_INFINITY) - textWidth(begin) - textWidth(after) - ' ()'.length;
  const words = truncateText(toOneLine(fields.join(', ')), Math.min(MOST_ARGUMENTS, room));
  const fits = words !== '' && (room >= LEAST_ARGUMENTS || !words.endsWith('…'));
  const line = `${begin}${fits ? ` (${words})` : ''}${after}`;
  return columns === null ? line : truncateText(line, columns);
}

/** `  · get_chats (limit: 5): 12 chats`. The arguments are shortened before the result. */
export const formatToolResult = (call: ToolCall, result: string, columns: number | null): string =>
  formatToolCall(call, columns, `: ${truncateText(outcome(result), MOST_OUTCOME)}`);

function outcome(result: string): string {
  const read = parsed(result);
  if (read === null) return toOneLine(result.replace(/^Error: /, 'failed, ')) || 'done';
  const { error } = read;
  if (typeof error === 'string') return `failed, ${toOneLine(error)}`;
  const fields = fieldsOf(read).map(([key, value]) =>
    Array.isArray(value) ? formatCount(value.length, singular(key), key) : fieldWords(key, value),
  );
  return toOneLine(fields.join(', ')) || 'done';
}

const fieldWords = (key: string, value: unknown): string => {
  if (key === 'status') return shown(value);
  if (key === 'note') return shown(value).replace(/\.$/, '');
  return key === 'success' && value === true ? 'done' : `${key} ${shown(value)}`;
};

const singular = (noun: string): string => noun.replace(/s$/, '');

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const fieldsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).filter(([, field]) => field !== null)
    : [];

function parsed(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The exact text and recipient, and why approval is needed. */
export const formatApprovalPrompt = (approval: Approval): string[] => [
  `  Approval needed: ${describeApproval(approval)}`,
  ...quoteMessageText(approval.text),
  ...(approval.when === null ? [] : [`  When: ${toPrintable(approval.when)}`]),
  `  ${toPrintable(approval.reason)}`,
  ...formatRisks(approval),
];

export const formatApprovalQuestion = ({ kind }: Approval): string =>
  kind === 'send_message' ? '  Send it? [y/N] ' : '  Approve? [y/N] ';

export const isYes = (answer: string): boolean => /^\s*y(es)?\s*$/i.test(answer);
