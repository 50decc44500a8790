// Creates the terminal pictures in docs/images: converts a tmux capture with colours to SVG.
//   tmux capture-pane -p -e | node scripts/terminal-picture.ts docs/images/digest.svg
import { readFileSync, writeFileSync } from 'node:fs';

const WIDTH = 8.43;
const HEIGHT = 20;
const MARGIN = 18;
const COLOURS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#3fb950',
  33: '#d29922',
  34: '#58a6ff',
  36: '#39c5cf',
};
const FAINT = '#8b949e';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what it looks for
const STYLE = /(\u001b\[[0-9;]*m)/;

/** Black on white, as a QR code is drawn. */
const PAPER = '\u001b[48;5;231m';
const OFF_PAPER = '\u001b[49m';
const BLOCKS: Readonly<Record<string, readonly [top: number, height: number]>> = {
  '█': [0, HEIGHT],
  '▀': [0, HEIGHT / 2],
  '▄': [HEIGHT / 2, HEIGHT / 2],
};

interface Style {
  fill?: string;
  bold?: boolean;
  paper?: boolean;
}

function styled(code: string, style: Style): Style {
  if (code === PAPER) return { paper: true };
  return code === OFF_PAPER && style.paper ? {} : coloured(code, style);
}

function coloured(code: string, style: Style): Style {
  const numbers = code.slice(2, -1).split(';');
  let now = style;
  for (const number of numbers) {
    if (number === '' || number === '0') now = {};
    else if (number === '1') now = { ...now, bold: true };
    else if (number === '2') now = { ...now, fill: FAINT };
    else if (number === '22') now = now.fill === undefined ? {} : { fill: now.fill };
    else if (number === '39') now = now.bold === undefined ? {} : { bold: now.bold };
    else if (COLOURS[number] !== undefined) now = { ...now, fill: COLOURS[number] };
  }
  return now;
}

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Words separated by one space stay together; wider gaps would collapse, so each part is positioned separately. */
function placed(text: string, column: number, y: number, { fill, bold }: Style): string[] {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map((run) => {
    const x = (MARGIN + (column + run.index) * WIDTH).toFixed(1);
    const long = (run[0].length * WIDTH).toFixed(1);
    const look = `${fill ? ` fill="${fill}"` : ''}${bold ? ' font-weight="700"' : ''}`;
    return `<text x="${x}" y="${y}" textLength="${long}" lengthAdjust="spacingAndGlyphs"${look}>${escaped(run[0])}</text>`;
  });
}

/** Block characters drawn as shapes, because a font leaves gaps between lines. */
function drawn(text: string, row: number): string[] {
  return [...text].flatMap((cell, column) => {
    const block = BLOCKS[cell];
    if (block === undefined) return [];
    const [x, y] = [(MARGIN + column * WIDTH).toFixed(1), MARGIN - 2 + row * HEIGHT + block[0]];
    return `<rect x="${x}" y="${y}" width="${WIDTH + 0.1}" height="${block[1] + 0.1}" fill="#000"/>`;
  });
}

const sheet = (columns: number, row: number): string =>
  `<rect x="${MARGIN}" y="${MARGIN - 2 + row * HEIGHT}" width="${columns * WIDTH}" height="${HEIGHT + 0.2}" fill="#fff"/>`;

const plain = (line: string): string =>
  line
    .split(STYLE)
    .filter((_, at) => at % 2 === 0)
    .join('');

/** Without empty rows at the end and the waiting prompt. */
function shown(screen: string): string[] {
  const lines = screen.split('\n').map((line) => line.trimEnd());
  while (lines.length > 1 && /^\$?\s*$/.test(plain(lines.at(-1) ?? ''))) lines.pop();
  return lines;
}

function picture(lines: readonly string[]): string {
  const columns = Math.max(60, ...lines.map((line) => plain(line).length));
  const width = Math.round(columns * WIDTH + 2 * MARGIN);
  const height = lines.length * HEIGHT + 2 * MARGIN - 4;
  const paper = 2 + Math.max(...lines.map((line) => (/[█▀▄]/.test(line) ? plain(line).length : 0)));
  let style: Style = {};
  const texts = lines.flatMap((line, row) => {
    let column = 0;
    return line.split(STYLE).flatMap((part, at) => {
      if (at % 2 === 1) {
        style = styled(part, style);
        return [];
      }
      if (style.paper)
        return part === '' && line !== '' ? [] : [sheet(paper, row), ...drawn(part, row)];
      const made = placed(part, column, MARGIN + 13 + row * HEIGHT, style);
      column += part.length;
      return made;
    });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(plain(lines[0] ?? '').replace(/^\$ /, ''))}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="#d0d7de">`,
    ...texts,
    '</g></svg>\n',
  ].join('\n');
}

const out = process.argv[2];
if (out === undefined) {
  console.error('Usage: tmux capture-pane -p -e | node scripts/terminal-picture.ts <file.svg>');
  process.exit(2);
}
writeFileSync(out, picture(shown(readFileSync(0, 'utf8'))));
