// A QR code and a pairing code as a terminal shows them.
import { toString as drawQr } from 'qrcode';
import type { Terminal } from '../terminal.ts';

/** Black on white whatever the terminal's own colours are: cameras want it that way round. */
const PAPER = '\u001b[38;5;16;48;5;231m';
const PLAIN = '\u001b[0m';

export async function qrLines(text: string, coloured: boolean): Promise<string[]> {
  const drawn = await drawQr(text, { type: 'utf8', errorCorrectionLevel: 'L', margin: 2 });
  const lines = drawn.split('\n').filter((line) => line !== '');
  const width = Math.max(...lines.map((line) => line.length));
  return lines.map((line) => (coloured ? `${PAPER}${line.padEnd(width)}${PLAIN}` : line));
}

export function fits({ size }: Pick<Terminal, 'size'>, rows: number, columns: number): boolean {
  return size === null || (size.rows >= rows && size.columns >= columns);
}

/** `ABCD1234` in two halves, far enough apart to be read from across a desk. */
export function codeLines(code: string, bold: (text: string) => string): string[] {
  const halves = [code.slice(0, code.length / 2), code.slice(code.length / 2)];
  const words = halves.map((half) => [...half].join(' ')).join('   ');
  const bar = '═'.repeat(words.length + 6);
  return [`╔${bar}╗`, `║   ${bold(words)}   ║`, `╚${bar}╝`];
}
