// The beginning of a message in an exported chat: its date and time as that phone writes them, and the rest of
// the line. Pure. Nothing is decided here about which number is the day: see `dates.ts`.

export interface Head {
  /** The three numbers of the date, in the order they stand. */
  readonly date: readonly [number, number, number];
  /** Where the year is known by its four digits; null for two digits. */
  readonly yearFirst: boolean | null;
  readonly separator: '/' | '.' | '-';
  /** Minutes and seconds of the day, in seconds. */
  readonly time: number;
  /** Android leaves the seconds out. */
  readonly toTheSecond: boolean;
  readonly rest: string;
}

/** Directions and a byte order mark that stand before dates; spaces that are not the usual one. */
const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
const FIRST =
  /^[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]*\[?[\u200e\u200f\u202a-\u202e\u2066-\u2069]*\p{Nd}/u;
const SPACES = /[\u00a0\u2007\u2009\u202f]/g;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

const BEFORE_NOON = String.raw`a\.?\s?m\.?|vorm\.|上午|午前|凌晨|早上|오전|ص|पूर्वाह्न|öö|πμ|π\.μ\.|de\.`;
const AFTER_NOON = String.raw`p\.?\s?m\.?|nachm\.|下午|午後|晚上|中午|오후|م|अपराह्न|ös|μμ|μ\.μ\.|du\.`;
const HALF = `(?:(?<am>${BEFORE_NOON})|(?<pm>${AFTER_NOON}))`;
const HALF_BEFORE = HALF.replace('<am>', '<am1>').replace('<pm>', '<pm1>');

const HEAD = new RegExp(
  String.raw`^(?<open>\[?)(?<a>\d{1,4})(?<sep>[./-]) ?(?<b>\d{1,2})\k<sep> ?(?<c>\d{1,4})\.?[,،]? +(?:${HALF_BEFORE} ?)?(?<h>\d{1,2})[:.](?<m>\d{2})(?:[:.](?<s>\d{2}))?(?: ?${HALF})?(?<close>\] | - |: )`,
  'iu',
);
/** Longer than any head, so that a line without end costs nothing. */
const LONGEST = 80;

/** Null for a line that goes on with the message before it. */
export function readHead(line: string): Head | null {
  const start = plainStart(line);
  if (start === null) return null;
  const match = HEAD.exec(start.text);
  const groups = match?.groups;
  if (groups === undefined) return null;
  const { open, close = '', sep, a = '', b = '', c = '' } = groups;
  if ((open === '[') !== (close === '] ') || close === ': ') return null;
  const time = timeOf(groups);
  if (time === null || (a.length > 2 && c.length > 2) || b.length > 2) return null;
  if (a.length === 3 || c.length === 3) return null;
  return {
    date: [Number(a), Number(b), Number(c)],
    yearFirst: a.length === 4 ? true : c.length === 4 ? false : null,
    separator: sep as Head['separator'],
    time,
    toTheSecond: groups.s !== undefined,
    rest: line.slice(start.at(match?.[0].length ?? 0)),
  };
}

interface Start {
  /** The first characters without marks, with usual spaces and digits. */
  readonly text: string;
  /** Where in the line that place of the text is. */
  at(place: number): number;
}

function plainStart(line: string): Start | null {
  const begin = line.slice(0, LONGEST);
  // Most lines go on with a message, and most that begin one have no marks.
  if (!FIRST.test(begin)) return null;
  if (begin.search(MARKS) === -1) return { text: usual(begin), at: (place) => place };
  const places: number[] = [];
  let text = '';
  for (const [n, sign] of begin.split('').entries()) {
    if (MARKS.test(sign)) continue;
    places.push(n);
    text += sign;
  }
  return { text: usual(text), at: (place) => places[place] ?? begin.length };
}

const usual = (text: string): string => text.replace(SPACES, ' ').replace(OTHER_DIGIT, latin);

/** The digits of a script stand together and in order. */
function latin(digit: string): string {
  let first = digit.charCodeAt(0);
  const code = first;
  while (/^\p{Nd}$/u.test(String.fromCharCode(first - 1))) first -= 1;
  return digit.length === 1 ? String((code - first) % 10) : digit;
}

function timeOf(groups: Readonly<Record<string, string | undefined>>): number | null {
  const { h, m, s = '0', am, am1, pm, pm1 } = groups;
  const [minutes, seconds] = [Number(m), Number(s)];
  let hours = Number(h);
  const [before, after] = [am ?? am1, pm ?? pm1];
  if (before !== undefined || after !== undefined) {
    if (hours < 1 || hours > 12) return null;
    hours = (hours % 12) + (after === undefined ? 0 : 12);
  }
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return (hours * 60 + minutes) * 60 + seconds;
}
