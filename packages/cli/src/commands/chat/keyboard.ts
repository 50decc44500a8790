// Keyboard input of `relay chat`. Lines typed while an answer runs are dropped, so an approval counts only when it is
// typed after its question was shown. Ctrl-C stops the running answer, or leaves when none runs.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

interface ChatKeyboard {
  /** The next input, several lines if they were pasted; null when the person leaves. */
  line(): Promise<string | null>;
  /** Null when the signal aborted before there was an answer. */
  ask(question: string, signal: AbortSignal): Promise<string | null>;
  close(): void;
}

interface Handlers {
  /** Ctrl-C, or the end of the input, while an answer runs. */
  stop(): void;
  /** Writes a line to standard error. */
  note(line: string): void;
}

const PROMPT = 'you: ';
/** Ctrl-C at a question counts as no. */
const NO = '';
const LEAVE = 'Press Ctrl-C again or Ctrl-D to quit.';
/** Lines that arrive within this time were pasted together. */
const PASTED_MS = 30;
/** Input that was typed before the question was visible can still arrive for this long. */
const TYPED_AHEAD_MS = 150;

/** Receives the next line; null drops it. */
type Taker = ((line: string | null) => void) | null;

export function openChatKeyboard({ stop, note }: Handlers): ChatKeyboard {
  let shown = false;
  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (shown) process.stderr.write(chunk);
      done();
    },
  });
  Object.defineProperty(screen, 'columns', { get: () => process.stderr.columns });
  const keys = createInterface({ input: process.stdin, output: screen, terminal: true });
  let taker: Taker = null;
  let idle = false;
  let left = false;
  let warned = false;

  const clear = () => {
    keys.write(null, { ctrl: true, name: 'e' });
    keys.write(null, { ctrl: true, name: 'u' });
  };
  const put = (prompt: string) => {
    shown = false;
    clear();
    shown = true;
    keys.setPrompt(prompt);
    keys.prompt();
  };
  const give = (line: string | null) => {
    const take = taker;
    taker = null;
    idle = false;
    shown = false;
    take?.(line);
  };

  let pasted: string[] = [];
  let quiet: NodeJS.Timeout | undefined;
  keys.on('line', (line) => {
    warned = false;
    if (taker === null) return;
    if (!idle) return give(line);
    pasted.push(line);
    clearTimeout(quiet);
    quiet = setTimeout(() => give(pasted.splice(0).join('\n')), PASTED_MS);
  });
  keys.on('SIGINT', () => {
    if (!idle) {
      process.stderr.write('\n');
      warned = true;
      give(NO);
      return stop();
    }
    const typed = keys.line !== '';
    process.stderr.write('\n');
    if (!typed && warned) return keys.close();
    warned = !typed;
    if (warned) note(LEAVE);
    put(PROMPT);
  });
  keys.on('close', () => {
    const running = !idle;
    left = true;
    // Ends the line so that the shell's prompt starts a new one.
    if (shown) process.stderr.write('\n');
    give(running ? NO : null);
    if (running) stop();
  });

  return {
    line: () =>
      new Promise((resolve) => {
        if (left) return resolve(null);
        taker = resolve;
        idle = true;
        pasted = [];
        put(PROMPT);
      }),
    ask: (question, signal) =>
      new Promise((resolve) => {
        const over = () => {
          clearTimeout(settled);
          if (shown) process.stderr.write('\n');
          give(null);
          resolve(null);
        };
        const settled = setTimeout(() => {
          taker = (answer) => {
            signal.removeEventListener('abort', over);
            resolve(answer);
          };
          put(question);
        }, TYPED_AHEAD_MS);
        if (left || signal.aborted) return over();
        signal.addEventListener('abort', over, { once: true });
      }),
    close: () => {
      clearTimeout(quiet);
      keys.removeAllListeners('close');
      keys.close();
    },
  };
}
