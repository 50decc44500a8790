// Output of the command: results on standard output, everything else on standard error. Colours and redrawn lines
// appear only at a terminal, and never with --json.
import pc from 'picocolors';
import { textWidth } from './format.ts';

type Colours = ReturnType<typeof pc.createColors>;

export interface Terminal {
  readonly json: boolean;
  readonly colours: Colours;
  /** Prints a line of the result. */
  writeLine(line: string): void;
  /** Prints a piece of the result without adding a line break. */
  write(piece: string): void;
  /** Prints the result of `--json`. */
  writeJson(value: unknown): void;
  /** Whether standard error is a terminal that a person sees. */
  readonly isInteractive: boolean;
  /** A line on standard error, only when a person sees it. */
  note(line: string): void;
  /** A line on standard error, for people and programs. */
  error(line: string): void;
  /** A line on standard error that stays, such as an empty result; none with `--json`. */
  notice(sentence: string): void;
  /** Shows progress. On a terminal the next call replaces it, and the end of the command removes it. */
  progress(sentence: string): void;
  /** Shows lines that the next call redraws in place; they are removed at the end. */
  draw(lines: readonly string[]): void;
  /** Ends the progress line and removes the drawing, if there are any. */
  clearTransient(): void;
  /** Size of the terminal; null without one. */
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
  /** Rows of the progress line and the drawing. */
  let moving = 0;
  let drawn = 0;
  const clearTransient = () => {
    if (moving > 1) err.write(`\u001b[${moving - 1}A\r\u001b[J`);
    else if (moving === 1) err.write('\r\u001b[K');
    moving = 0;
    if (drawn > 0) out.write(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  return {
    json: options.json,
    isInteractive: !options.json && err.isTTY === true,
    colours: pc.createColors(options.colour && out.isTTY === true && !options.json),
    writeLine(line) {
      clearTransient();
      out.write(`${line}\n`);
    },
    write(piece) {
      clearTransient();
      out.write(piece);
    },
    writeJson(value) {
      clearTransient();
      out.write(`${JSON.stringify(value)}\n`);
    },
    note(line) {
      if (options.json || err.isTTY !== true) return;
      clearTransient();
      err.write(`${line}\n`);
    },
    error(line) {
      err.write(`${line}\n`);
    },
    notice(sentence) {
      if (options.json) return;
      clearTransient();
      err.write(`${sentence}\n`);
    },
    progress(sentence) {
      if (options.json) return;
      if (err.isTTY !== true) {
        err.write(`${sentence}\n`);
        return;
      }
      clearTransient();
      err.write(`\r\u001b[K${sentence}`);
      moving = height(sentence, err.columns);
    },
    draw(lines) {
      clearTransient();
      out.write(lines.map((line) => `${line}\n`).join(''));
      const rows = lines.reduce((sum, line) => sum + height(line, out.columns), 0);
      // Rows that have scrolled away cannot be redrawn.
      if (out.isTTY === true && rows < (out.rows ?? 0)) drawn = rows;
    },
    clearTransient,
    get size() {
      if (out.isTTY !== true || !out.rows || !out.columns) return null;
      return { rows: out.rows, columns: out.columns };
    },
  };
}

/** How many rows a wrapped line takes; colour sequences have no width. A terminal may report 0 columns. */
function height(line: string, columns: number | undefined): number {
  return Math.max(1, Math.ceil(textWidth(line) / (columns || Number.POSITIVE_INFINITY)));
}
