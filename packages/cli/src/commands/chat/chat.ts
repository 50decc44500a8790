// `relay chat`: talks to the assistant, interactively at a terminal or with a single question. Standard output has only
// the text of the answers; tool calls and notes go to standard error.

import type { Approval } from '@relay/contract/api/approvals';
import type { AssistantLine } from '@relay/contract/api/assistant';
import { RelayApiError } from '@relay/contract/client/api-error';
import { askAssistant } from '@relay/contract/client/assistant-stream';
import { RelayError } from '@relay/contract/errors';
import { clientOf, postStream } from '../../api.ts';
import type { CommandCall, RunCommand } from '../../command.ts';
import { toCommandFailure } from '../../failure.ts';
import { formatClock, toPrintable, wrapText } from '../../format.ts';
import { canAsk, readPipedText } from '../../prompt.ts';
import type { Terminal } from '../../terminal.ts';
import { openChatKeyboard } from './keyboard.ts';
import {
  type AnswerPrinter,
  createAnswerPrinter,
  formatApprovalPrompt,
  formatApprovalQuestion,
  isYes,
} from './output.ts';

const MOST_HISTORY = 200;
const INTERRUPTED = 130;

export const chatWithAssistantCommand: RunCommand = async (call) => {
  const { config, terminal, args, options } = call;
  const history = parseHistoryCount(options.history);
  const typed = args.join(' ').trim();
  const interactive = typed === '' && canAsk() && !terminal.json;
  const text = typed === '' && !interactive ? (await readPipedText()).trim() : typed;
  if (text === '' && !interactive) throw new RelayError('usage', { what: NOTHING });
  if (options.new) await clientOf(config.home).post('/api/assistant/reset');
  if (history > 0 || interactive) await showHistory(call, history);
  return interactive ? runInteractiveChat(config.home, terminal) : askSingleQuestion(call, text);
};

const NOTHING = 'There is no question. Give one, such as `relay chat "what did Mom write?"`.';

async function askSingleQuestion({ config, terminal }: CommandCall, text: string): Promise<number> {
  const stopped = new AbortController();
  const stop = () => stopped.abort(new Error('stopped'));
  process.once('SIGINT', stop);
  const ask = canAsk() ? askOnce(stop) : null;
  try {
    await runChatTurn({ home: config.home, terminal, ask }, text, stopped.signal);
    return 0;
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Reads the keyboard only while a question is open, then returns it to the shell. */
const askOnce =
  (stop: () => void): AskOwner =>
  async (question, signal) => {
    const keyboard = openChatKeyboard({ stop, note: () => {} });
    try {
      return await keyboard.ask(question, signal);
    } finally {
      keyboard.close();
    }
  };

async function showHistory({ config, terminal }: CommandCall, count: number): Promise<void> {
  // Requested even if no history is shown, so that a missing daemon is reported before the first question.
  const lines = await clientOf(config.home).get('/api/assistant/messages', {
    query: { limit: Math.max(1, count) },
  });
  if (count === 0) return;
  for (const line of lines) {
    if (terminal.json) terminal.writeJson({ type: 'history', ...line });
    else {
      const columns = terminal.size?.columns ?? null;
      for (const said of formatHistoryLine(line, terminal.colours, columns, new Date()))
        terminal.writeLine(said);
    }
  }
}

function parseHistoryCount(given: unknown): number {
  if (given === undefined) return 0;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0 && count <= MOST_HISTORY) return count;
  throw new RelayError('usage', { what: `Give --history a number from 0 to ${MOST_HISTORY}.` });
}

// `relay chat` at a terminal: question and answer until the owner leaves. Slash commands go to the daemon like any
// question; only leaving is handled here.

const GREETING =
  'Ask your assistant anything. /help lists commands, Ctrl-C stops an answer, Ctrl-D quits.';
const STOPPED = 'Stopped. Completed actions are not undone. Press Ctrl-C again to quit.';
const LEAVING = new Set(['/quit', '/exit', '/bye']);

async function runInteractiveChat(home: string, terminal: Terminal): Promise<number> {
  let running: AbortController | null = null;
  let twice = false;
  const keyboard = openChatKeyboard({
    stop() {
      if (running === null) return;
      // The first Ctrl-C stops the answer; the second one leaves.
      twice = running.signal.aborted;
      running.abort(new Error(STOPPED));
    },
    note: (line) => terminal.note(terminal.colours.dim(line)),
  });
  terminal.note(terminal.colours.dim(GREETING));
  try {
    for (;;) {
      terminal.note('');
      const text = await keyboard.line();
      if (text === null || LEAVING.has(text.trim())) return 0;
      if (text.trim() === '') continue;
      running = new AbortController();
      const { signal } = running;
      try {
        await runChatTurn({ home, terminal, ask: keyboard.ask }, text, signal);
      } catch (error) {
        const sentence = signal.aborted ? STOPPED : sentenceOf(error);
        terminal.note(toPrintable(sentence));
      }
      running = null;
      if (twice) return 0;
    }
  } finally {
    keyboard.close();
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof RelayApiError ? error.message : toCommandFailure(error).message;

// One question and its answer, for a person or a program. Approvals are asked for here and answered over the approvals
// routes; a question whose approval is settled elsewhere is withdrawn.

/** Asks the person at the terminal; null when they did not answer before `signal` aborted. */
type AskOwner = (question: string, signal: AbortSignal) => Promise<string | null>;

interface ChatTurnContext {
  readonly home: string;
  readonly terminal: Terminal;
  /** Null where nobody can be asked. */
  readonly ask: AskOwner | null;
}

const FAILED = 500;

/** Rejects with the daemon's sentence when the turn failed, and with the signal's reason when it was stopped. */
async function runChatTurn(
  deps: ChatTurnContext,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const { terminal } = deps;
  const voice = createAnswerPrinter(terminal);
  let asking: AbortController | null = null;
  let settled: Promise<void> | null = null;
  try {
    for await (const event of askAssistant(text, postStream(deps.home), signal)) {
      asking?.abort();
      asking = null;
      if (terminal.json) terminal.writeJson(event);
      else voice.printEvent(event);
      if (event.type === 'approval' && !terminal.json) {
        asking = new AbortController();
        settled = answerApproval(deps, voice, event.approval, asking.signal);
      }
      if (event.type === 'error') throw new RelayApiError(FAILED, event.code, event.message);
    }
  } finally {
    asking?.abort();
    await settled;
    voice.endLine();
    terminal.clearTransient();
  }
}

async function answerApproval(
  { home, ask }: ChatTurnContext,
  voice: AnswerPrinter,
  approval: Approval,
  signal: AbortSignal,
): Promise<void> {
  for (const line of formatApprovalPrompt(approval)) voice.printNote(line);
  const commands = `\`relay approvals approve ${approval.id}\` or \`reject\``;
  if (ask === null) return voice.printNote(`  Answer within 2 minutes with ${commands}.`);
  const answer = await ask(formatApprovalQuestion(approval), signal);
  if (answer === null) return voice.printNote(`  Approval pending. Answer with ${commands}.`);
  const path = { id: approval.id };
  const client = clientOf(home);
  try {
    if (isYes(answer)) await client.post('/api/approvals/{id}/approve', { path });
    else await client.post('/api/approvals/{id}/reject', { path, body: {} });
  } catch (error) {
    voice.printNote(`  ${error instanceof RelayApiError ? error.message : String(error)}`);
  }
}

// Formats the earlier lines of the chat. Pure.

const NARROW = 40;

function formatHistoryLine(
  line: AssistantLine,
  colours: Pick<Terminal['colours'], 'dim' | 'bold'>,
  columns: number | null,
  now: Date,
): string[] {
  const who = line.role === 'user' ? 'you' : 'assistant';
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(NARROW, columns);
  const text = wrapText(toPrintable(line.content).trimEnd(), room);
  return [`${colours.bold(who)} ${colours.dim(formatClock(new Date(line.at), now))}`, ...text, ''];
}
