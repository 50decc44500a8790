// Infers the date order, the owner's name and the chat's name of an exported chat. For dates: no month is over twelve,
// and a chat goes forward in time and not into the future. If it stays ambiguous, the owner is asked.

import { DATE_ORDERS, type DateOrder } from '@relay/contract/api/imports';
import { foldName } from '../contacts/match.ts';
import type { ExportLineHead } from './whatsapp-export.ts';

const DAY = 86_400_000;

/** Midnight of the date in UTC, or null if there is no such day. */
export function exportLineDay(
  { date: [a, b, c] }: Pick<ExportLineHead, 'date'>,
  order: DateOrder,
): number | null {
  const [year, month, day] =
    order === 'dmy' ? [c, b, a] : order === 'mdy' ? [c, a, b] : ([a, b, c] as const);
  const full = year < 100 ? 2000 + year : year > 2400 ? year - 543 : year;
  const at = Date.UTC(full, month - 1, day);
  const made = new Date(at);
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day && full >= 2009 ? at : null;
}

/** The observations about one order over all dates. */
interface Trial {
  readonly order: DateOrder;
  possible: boolean;
  last: number;
  /** Number of steps back in time. */
  back: number;
}

export class DateOrderFinder {
  readonly #latest: number;
  readonly #trials: readonly Trial[];
  #onlyDays = false;
  #yearFirst = false;

  /** `now` as a local time. */
  constructor(now: number) {
    this.#latest = now + DAY;
    this.#trials = DATE_ORDERS.map((order) => ({ order, possible: true, last: 0, back: 0 }));
  }

  add(head: ExportLineHead): void {
    if (head.yearFirst === true) this.#yearFirst = true;
    // The month comes first only in dates with slashes.
    if (head.separator !== '/') this.#onlyDays = true;
    for (const trial of this.#trials) {
      const day = exportLineDay(head, trial.order);
      if (day === null || day > this.#latest) trial.possible = false;
      else {
        if (day < trial.last) trial.back += 1;
        trial.last = day;
      }
    }
  }

  /** Null if the owner has to be asked. */
  found(): DateOrder | null {
    const possible = (order: DateOrder) =>
      this.#trials.find((trial) => trial.order === order && trial.possible) ?? null;
    if (this.#yearFirst) return possible('ymd') && 'ymd';
    const [days, months] = [possible('dmy'), this.#onlyDays ? null : possible('mdy')];
    if (days === null && months === null) return possible('ymd') && 'ymd';
    if (days === null || months === null) return days === null ? 'mdy' : 'dmy';
    if (days.back === months.back) return null;
    return days.back < months.back ? 'dmy' : 'mdy';
  }
}

// Finds the exporter's name in an exported chat: what the owner says, else the only possible one. A wrong guess would
// attribute others' words to the owner, so the owner is asked if it is uncertain.

interface ExportSenderNames {
  /** The names of all who wrote in it. */
  readonly senders: readonly string[];
  /** The name that the owner gave; empty if they wrote nothing in it. */
  readonly given: string | null;
  /** The owner's known names. */
  readonly own: readonly string[];
  /** In a chat with one person: whether a name is theirs. */
  readonly isOther: ((name: string) => boolean) | null;
}

/** The owner's names, folded; null if the owner has to be asked. */
export function findOwnNames({
  senders,
  given,
  own,
  isOther,
}: ExportSenderNames): ReadonlySet<string> | null {
  const only = (names: readonly string[]) => new Set(names.map(foldName));
  if (given !== null) {
    const wanted = foldName(given);
    if (wanted === '') return new Set();
    return senders.some((name) => foldName(name) === wanted) ? only([given]) : null;
  }
  const known = senders.filter((name) => own.some((mine) => foldName(mine) === foldName(name)));
  if (known.length > 0) return only(known);
  if (isOther === null || senders.length > 2) return null;
  const mine = senders.filter((name) => !isOther(name));
  // Neither name is the other person's known one, so it is ambiguous.
  return mine.length === senders.length && senders.length > 1 ? null : only(mine);
}

// Reads the chat's name from the file name: "WhatsApp Chat with Ana.txt", "WhatsApp Chat - Family.zip". Null if it
// contains none.

const PREFIXES = [
  /^whatsapp chat (?:with|-) /i,
  /^whatsapp[- ]chat (?:mit|con|avec|met|med|z) /i,
  /^chat (?:de )?whatsapp (?:con|com|avec) /i,
  /^conversa (?:do whatsapp )?com /i,
  /^discussion whatsapp avec /i,
  /^чат whatsapp с (?:контактом )?/i,
];

export function chatTitleFromFile(path: string): string | null {
  const file = path.split(/[/\\]/).at(-1) ?? '';
  const name = file
    .replace(/\.(?:txt|zip)$/i, '')
    .replace(/ \(\d+\)$/, '')
    .normalize('NFC')
    .trim();
  for (const prefix of PREFIXES) {
    if (prefix.test(name)) return name.replace(prefix, '').trim() || null;
  }
  return null;
}
