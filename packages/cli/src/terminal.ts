// What the command says and where: results on standard output, everything else on standard error.
// Colours and moving lines appear only to a person at a terminal, and never with --json.
import pc from 'picocolors';

type Colours = ReturnType<typeof pc.createColors>;

export interface Terminal {
  readonly json: boolean;
  readonly colours: Colours;
  /** A line of the result. */
  say(line: string): void;
  /** The result as `--json` gives it. */
  give(value: unknown): void;
  /** What is going on, for whoever waits. The next one replaces it on a terminal. */
  progress(sentence: string): void;
  /** Ends the moving line, if there is one. */
  settle(): void;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export function openTerminal(
  options: { json: boolean; colour: boolean },
  out: Output = process.stdout,
  err: Output = process.stderr,
): Terminal {
  let moving = false;
  const settle = () => {
    if (moving) err.write('\r\u001b[K');
    moving = false;
  };
  return {
    json: options.json,
    colours: pc.createColors(options.colour && out.isTTY === true && !options.json),
    say(line) {
      settle();
      out.write(`${line}\n`);
    },
    give(value) {
      settle();
      out.write(`${JSON.stringify(value)}\n`);
    },
    progress(sentence) {
      if (options.json) return;
      if (err.isTTY !== true) {
        err.write(`${sentence}\n`);
        return;
      }
      err.write(`\r\u001b[K${sentence}`);
      moving = true;
    },
    settle,
  };
}
