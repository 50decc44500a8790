// `relay ledger` as lines: when, who, what, about whom, how it went, and why. Columns have one width, so that
// lines that come later stand below those that were there. Pure.
import type { LedgerLine } from '@relay/core/api/ledger';
import { clock, oneLine } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { cut, pad } from '../width.ts';

export interface Look {
  /** Null where nobody looks: nothing is cut. */
  readonly columns: number | null;
  readonly colours: Pick<Terminal['colours'], 'dim' | 'bold' | 'red' | 'yellow' | 'green'>;
  readonly now: Date;
}

const WIDTHS = { time: 11, who: 16, what: 20, about: 18, outcome: 14 } as const;
const GAP = '  ';
const TAKEN = Object.values(WIDTHS).reduce((sum, one) => sum + one + GAP.length, 0);
const LEAST_FOR_REASON = 24;

const cell = (text: string, width: number): string => pad(cut(oneLine(text), width), width);

export const head = (colours: Pick<Look['colours'], 'dim'>): string =>
  colours.dim(
    [
      pad('TIME', WIDTHS.time),
      pad('WHO', WIDTHS.who),
      pad('WHAT', WIDTHS.what),
      pad('ABOUT', WIDTHS.about),
      pad('OUTCOME', WIDTHS.outcome),
      'WHY',
    ].join(GAP),
  );

export function lines(entries: readonly LedgerLine[], look: Look): string[] {
  const room = look.columns === null ? Number.POSITIVE_INFINITY : look.columns - TAKEN;
  return entries.map((entry) => {
    const line = [
      look.colours.dim(clock(new Date(entry.at), look.now).padStart(WIDTHS.time)),
      cell(entry.who, WIDTHS.who),
      cell(entry.what, WIDTHS.what),
      look.colours.bold(cell(entry.about ?? '', WIDTHS.about)),
      paint(entry.outcome, look),
    ].join(GAP);
    const why = oneLine(entry.sentence);
    return room < LEAST_FOR_REASON ? `${line}\n${GAP}${why}` : `${line}${GAP}${cut(why, room)}`;
  });
}

const COLOUR: Readonly<Record<string, 'red' | 'yellow' | 'green' | undefined>> = {
  deny: 'red',
  stopped: 'red',
  unanswered: 'yellow',
  needs_approval: 'yellow',
  waiting: 'yellow',
  allow: 'green',
  answered: 'green',
};

function paint(outcome: string, { colours }: Look): string {
  const words = cell(outcome.replaceAll('_', ' '), WIDTHS.outcome);
  const colour = COLOUR[outcome];
  return colour === undefined ? words : colours[colour](words);
}
