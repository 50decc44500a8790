// `relay chat` for a person at a terminal: question and answer until they leave. What begins with a slash is
// for Relay itself and goes the same way; only leaving is decided here.
import { RelayApiError } from '@relay/core/client/api-error';
import { failureOf } from '../failure.ts';
import { printable } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { openKeyboard } from './keyboard.ts';
import { takeTurn } from './turn.ts';

const GREETING =
  'Ask your assistant anything. /help lists commands, Ctrl-C stops an answer, Ctrl-D leaves.';
const STOPPED = 'Stopped. What was done by then stays done. Ctrl-C again leaves.';
const LEAVING = new Set(['/quit', '/exit', '/bye']);

export async function talk(home: string, terminal: Terminal): Promise<number> {
  let running: AbortController | null = null;
  let twice = false;
  const keyboard = openKeyboard({
    stop() {
      if (running === null) return;
      // The first stops the answer; whoever cannot wait for that leaves with the second.
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
        await takeTurn({ home, terminal, ask: keyboard.ask }, text, signal);
      } catch (error) {
        const told = signal.aborted ? STOPPED : sentenceOf(error);
        terminal.note(printable(told));
      }
      running = null;
      if (twice) return 0;
    }
  } finally {
    keyboard.close();
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof RelayApiError ? error.sentence : failureOf(error).message;
