// The person at the keyboard. Typed while an answer runs, a line counts for nothing: a yes is one that was
// given after its question was shown. Ctrl-C stops what runs, and leaves when nothing does.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

interface ChatKeyboard {
  /** What is said next, several lines if they were pasted; null when the person leaves. */
  line(): Promise<string | null>;
  /** Null when the signal ended it before there was an answer. */
  ask(question: string, signal: AbortSignal): Promise<string | null>;
  close(): void;
}

interface Handlers {
  /** Ctrl-C, or the end of the input, while something runs. */
  stop(): void;
  /** A line for the person, beside everything else. */
  note(line: string): void;
}

const PROMPT = 'you: ';
/** Whoever breaks a question off has said no to it. */
const NO = '';
const LEAVE = 'Ctrl-C again, or Ctrl-D, leaves.';
/** Lines that come this close together were pasted. */
const PASTED_MS = 30;
/** What was typed before a question could be read is still on its way for this long. */
const TYPED_AHEAD_MS = 150;

/** What a line that comes in is for; null drops it. */
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
    // The shell's own prompt begins a line.
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
