// `relay chat`: the owner's assistant, in a conversation at a terminal, or one question of a person or a
// program. The words of the answer are the result; what it does on the way stands beside them.
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import { historyLines } from '../chat/history.ts';
import { openKeyboard } from '../chat/keyboard.ts';
import { talk } from '../chat/talk.ts';
import { type Ask, takeTurn } from '../chat/turn.ts';
import type { Call, Run } from '../command.ts';
import { canAsk, readAllPiped } from '../prompt.ts';

const MOST_HISTORY = 200;
const INTERRUPTED = 130;

export const run: Run = async (call) => {
  const { config, terminal, args, options } = call;
  const history = countOf(options.history);
  const typed = args.join(' ').trim();
  const interactive = typed === '' && canAsk() && !terminal.json;
  const text = typed === '' && !interactive ? (await readAllPiped()).trim() : typed;
  if (text === '' && !interactive) throw new RelayError('usage', { what: NOTHING });
  if (options.new) await clientOf(config.home).post('/api/assistant/reset');
  if (history > 0 || interactive) await showHistory(call, history);
  return interactive ? talk(config.home, terminal) : once(call, text);
};

const NOTHING = 'There is no question. Give one, as in `relay chat "what did Mom write?"`.';

async function once({ config, terminal }: Call, text: string): Promise<number> {
  const stopped = new AbortController();
  const stop = () => stopped.abort(new Error('stopped'));
  process.once('SIGINT', stop);
  const ask = canAsk() ? askOnce(stop) : null;
  try {
    await takeTurn({ home: config.home, terminal, ask }, text, stopped.signal);
    return 0;
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', stop);
  }
}

/** The keyboard is taken for the time of a question, and left to the shell again. */
const askOnce =
  (stop: () => void): Ask =>
  async (question, signal) => {
    const keyboard = openKeyboard({ stop, note: () => {} });
    try {
      return await keyboard.ask(question, signal);
    } finally {
      keyboard.close();
    }
  };

async function showHistory({ config, terminal }: Call, count: number): Promise<void> {
  // Asked for though none may be shown: a daemon that is not there is told before the first question.
  const lines = await clientOf(config.home).get('/api/assistant/messages', {
    query: { limit: Math.max(1, count) },
  });
  if (count === 0) return;
  for (const line of lines) {
    if (terminal.json) terminal.give({ type: 'history', ...line });
    else {
      const columns = terminal.size?.columns ?? null;
      for (const said of historyLines(line, terminal.colours, columns, new Date()))
        terminal.say(said);
    }
  }
}

function countOf(given: unknown): number {
  if (given === undefined) return 0;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0 && count <= MOST_HISTORY) return count;
  throw new RelayError('usage', { what: `Give --history a number from 0 to ${MOST_HISTORY}.` });
}
