// What the command says and where: results on standard output, everything else on standard error.
// Colours and moving lines appear only to a person at a terminal, and never with --json.
import pc from 'picocolors';
import { textWidth } from './format.ts';

type Colours = ReturnType<typeof pc.createColors>;

export interface Terminal {
  readonly json: boolean;
  readonly colours: Colours;
  /** A line of the result. */
  say(line: string): void;
  /** A piece of the result, as it comes; it brings its own line breaks. */
  write(piece: string): void;
  /** The result as `--json` gives it. */
  give(value: unknown): void;
  /** A person looks at what stands beside the result. */
  readonly attended: boolean;
  /** A line beside the result, for that person alone. */
  note(line: string): void;
  /** A line on standard error, for people and programs. */
  error(line: string): void;
  /** What is going on, for whoever waits. The next one replaces it on a terminal. */
  progress(sentence: string): void;
  /** Something to look at until it changes: on a terminal it stays in its place and goes when it is over. */
  draw(lines: readonly string[]): void;
  /** Ends the moving line and takes the drawing away, if there are any. */
  settle(): void;
  /** What fits; null where nobody looks. */
  readonly size: { readonly rows: number; readonly columns: number } | null;
}

export interface Output {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
  write(text: string): unknown;
}

export function openTerminal(
  options: { json: boolean; colour: boolean },
  out: Output,
  err: Output,
): Terminal {
  /** Rows that the moving line and the drawing take up. */
  let moving = 0;
  let drawn = 0;
  const settle = () => {
    if (moving > 1) err.write(`\u001b[${moving - 1}A\r\u001b[J`);
    else if (moving === 1) err.write('\r\u001b[K');
    moving = 0;
    if (drawn > 0) out.write(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  return {
    json: options.json,
    attended: !options.json && err.isTTY === true,
    colours: pc.createColors(options.colour && out.isTTY === true && !options.json),
    say(line) {
      settle();
      out.write(`${line}\n`);
    },
    write(piece) {
      settle();
      out.write(piece);
    },
    give(value) {
      settle();
      out.write(`${JSON.stringify(value)}\n`);
    },
    note(line) {
      if (options.json || err.isTTY !== true) return;
      settle();
      err.write(`${line}\n`);
    },
    error(line) {
      err.write(`${line}\n`);
    },
    progress(sentence) {
      if (options.json) return;
      if (err.isTTY !== true) {
        err.write(`${sentence}\n`);
        return;
      }
      settle();
      err.write(`\r\u001b[K${sentence}`);
      moving = height(sentence, err.columns);
    },
    draw(lines) {
      settle();
      out.write(lines.map((line) => `${line}\n`).join(''));
      const rows = lines.reduce((sum, line) => sum + height(line, out.columns), 0);
      // What has scrolled away cannot be taken back.
      if (out.isTTY === true && rows < (out.rows ?? 0)) drawn = rows;
    },
    settle,
    get size() {
      if (out.isTTY !== true || out.rows === undefined || out.columns === undefined) return null;
      return { rows: out.rows, columns: out.columns };
    },
  };
}

/** The rows a line takes up where it is broken at the edge; colours take up no room. */
function height(line: string, columns = Number.POSITIVE_INFINITY): number {
  return Math.max(1, Math.ceil(textWidth(line) / columns));
}
