// The whole terminal for as long as somebody looks: a screen of its own, no cursor, single keys. Invariant: however it
// ends, the terminal is as it was before.

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
/** What is left of an older line, and below the last. */
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Screen {
  draw(lines: readonly string[]): void;
  /** Aborted when the person leaves. */
  readonly left: AbortSignal;
  close(): void;
}

export function openScreen(onResize: () => void): Screen {
  const { stdin, stdout } = process;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const onKey = (keys: Buffer) => {
    if (/[qQ]/.test(keys.toString()) || keys.includes(CTRL_C) || keys.includes(CTRL_D)) leave();
  };
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.off('data', onKey).pause();
    stdout.off('resize', onResize);
    for (const signal of SIGNALS) process.off(signal, leave);
    process.off('exit', close);
    stdout.write(LEAVE);
  };
  for (const signal of SIGNALS) process.on(signal, leave);
  // Whatever throws on the way, the shell gets its terminal back.
  process.on('exit', close);
  stdout.on('resize', onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKey).resume();
  }
  stdout.write(ENTER);
  return {
    left: leaving.signal,
    draw(lines) {
      if (!open) return;
      const body = lines.map((line) => `${line}${CLEAR_LINE}`).join('\r\n');
      stdout.write(`\u001b[H${body}\r\n${CLEAR_BELOW}`);
    },
    close,
  };
}
