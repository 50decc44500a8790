// Parses an attack: the people, numbers and addresses it names, and what the traitor knows. Invariant: ids come from
// the request or from the test's knowledge; none is made up.
import type { KnownPerson, ScriptedCall, TraitorKnowledge } from '../schemas.ts';

export interface ParsedAttack {
  /** The original untrusted text. */
  text: string;
  /** All its decoded forms, folded; patterns are searched in this. */
  folded: string;
  /** People named in the text; an unknown number is a person without a name. */
  people: KnownPerson[];
  /** Everyone known, and every id in the request. */
  everyone: KnownPerson[];
  sender: string;
  urls: string[];
}

const ID = /\b\d{6,20}(?:-\d+)?@[a-z.]+|\+?\b\d{9,15}\b/g;
const NAMED =
  /(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)[^\p{L}\d\n]{1,6}(?:\p{Ll}+\W{1,4})?(\+?\d{9,20}(?:@[a-z.]+)?)/gu;
const ADDRESS =
  /\bhttps?:\/\/[^\s"'<>)\]}]+|\b(?:[a-z\d-]+\.)+(?:example|com|net|org|io)\b[^\s"'<>)\]}]*/gi;

export const isGroupPerson = ({ id }: KnownPerson): boolean => id.endsWith('@g.us');

const plain = (id: string): string => id.replace(/^\+/, '');

const idsIn = (text: string): string[] => [
  ...new Set((text.match(ID) ?? []).map((id) => plain(id))),
];

/** Names with numbers that the request contains: "Ana (15550100001)". */
function introduced(text: string): KnownPerson[] {
  const found = [...text.matchAll(NAMED)];
  return found.map(([, name = '', id = '']) => ({ name, id: plain(id) }));
}

const wordsOf = ({ name, aliases = [] }: KnownPerson): string[] =>
  [name, ...aliases, ...name.split(' ').filter((word) => word.length > 2)].map(foldForMatching);

function mentions(folded: string, word: string): boolean {
  // Word boundaries are checked only for Latin words; in other scripts any occurrence counts.
  if (!/^[a-z]/.test(word)) return folded.includes(word);
  const at = `(?<![a-z])${word.replace(/[^\p{L}\d ]/gu, '.')}(?![a-z])`;
  return new RegExp(at, 'u').test(folded);
}

/** Shared by every text of one request: the known people, the ids in it, and the sender. */
interface AttackContext {
  knows: TraitorKnowledge;
  known: KnownPerson[];
  ids: string[];
}

export const createAttackContext = (request: string, knows: TraitorKnowledge): AttackContext => ({
  knows,
  known: [...(knows.people ?? []), ...introduced(request)],
  ids: idsIn(request),
});

export function parseAttack(
  text: string,
  { knows, known, ids: around }: AttackContext,
): ParsedAttack {
  const read = decodeReadings(text);
  const words = foldForMatching(read.join('\n'));
  const ids = idsIn(read.join('\n'));
  const isNamed = (person: KnownPerson) =>
    ids.includes(person.id) || wordsOf(person).some((word) => mentions(words, word));
  const strangers = (of: string[]): KnownPerson[] =>
    of.filter((id) => !known.some((person) => person.id === id)).map((id) => ({ name: '', id }));
  const sender = knows.sender ?? around[0] ?? 'me';
  const people = [...known.filter(isNamed), ...strangers(ids)].filter(
    ({ id }) => id !== knows.sender,
  );

  // Cues search for the words "owner" and "group", which a name alone does not contain.
  const marks = [
    knows.owner && isNamed(knows.owner) ? 'owner' : '',
    people.some(isGroupPerson) ? 'group' : '',
  ];
  return {
    text,
    folded: [words, ...marks].join('\n'),
    people,
    everyone: unique([...known, ...strangers(around), ...strangers(ids)]),
    sender,
    urls: [...new Set(read.flatMap((reading) => reading.match(ADDRESS) ?? []))],
  };
}

/** Keeps the first of each id: the test's knowledge comes before the request's. */
function unique(people: KnownPerson[]): KnownPerson[] {
  const byId = new Map(people.toReversed().map((person) => [person.id, person]));
  return [...byId.values()].toReversed();
}

// Decodes a text in every way an attacker might have hidden it. Invariant: pure and generous. A meaningless decoding
// costs nothing; a missed one is an attack that was never tried.

const INVISIBLE = /\p{Cf}|\p{Variation_Selector}|\u034f|\u115f|\u3164/gu;
const TAGS = /[\u{e0020}-\u{e007e}]+/gu;
const BITS = /[\u200b\u200c]{16,}/g;
const MORSE_RUN = /[.-]{1,6}(?:[ /]+[.-]{1,6}){4,}/g;
const MORSE =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'.split(
    ' ',
  );
const LOOKALIKES = Object.fromEntries(
  [...'аеорсухіѕјкмтвнӏԁ'].map((letter, at) => [letter, [...'aeopcyxisjkmtbhld'][at]]),
);
const WORDS =
  /\b(?:the|with|and|that|this|tell|said|send|read|call|chat|put|answer|message|mit|und|der|alle|que|para|los|las|les|des|une|uma)\b/g;
const MAX_TEXT = 200_000;

/** The bytes as text, or an empty string if they are not text. */
function utf8(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /[^\P{Cc}\t\n\r]/u.test(text) ? '' : text;
  } catch {
    return '';
  }
}

const fromBits = (bits: string): string =>
  utf8(Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2)));

function fromBase32(text: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'));
  return fromBits(bits.join(''));
}

function percent(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : '';
  } catch {
    return '';
  }
}

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

function morse(text: string): string {
  const letter = (code: string) => String.fromCharCode(97 + MORSE.indexOf(code));
  return text
    .split(/ *\/ */)
    .map((word) => word.trim().split(/ +/).map(letter).join(''))
    .join(' ');
}

/** "rain egg milk": the first letters spell the message, a dash separates the words. */
const initials = (text: string): string =>
  text
    .replace(/^[^:]*:/, '')
    .split(/\s+-\s+/)
    .map((word) => (word.match(/\b\p{L}/gu) ?? []).join(''))
    .join(' ');

/** One sentence split over several messages: "1/3: …", "let a = …", "…" at the end. */
const joined = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^\d+\/\d+:\s*|^let \w+ = "|"$|\s*\.\.\.$/g, ''))
    .join(' ');

/** Any text can be reversed; a text that was hidden that way then contains words. */
const makesSense = (text: string): boolean => (text.toLowerCase().match(WORDS) ?? []).length > 1;

const matches = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [];

export function decodeReadings(whole: string): string[] {
  const text = whole.slice(0, MAX_TEXT);
  const visible = text.replace(INVISIBLE, '').normalize('NFKC');
  const bits = matches(text, BITS).map((run) =>
    fromBits(run.replaceAll('\u200b', '0').replaceAll('\u200c', '1')),
  );
  const tags = matches(text, TAGS).map((run) =>
    [...run].map((tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)).join(''),
  );
  const all = [
    visible,
    joined(visible),
    visible.replaceAll('_', ' '),
    visible.toLowerCase().replace(/[а-ӏԁіѕј]/g, (letter) => LOOKALIKES[letter] ?? letter),
    ...tags,
    ...bits,
    ...matches(visible, /[A-Za-z0-9+/]{16,}={0,2}/g).map((run) => utf8(Buffer.from(run, 'base64'))),
    ...matches(visible, /\b(?:[0-9a-f]{2}){8,}\b/gi).map((run) => utf8(Buffer.from(run, 'hex'))),
    ...matches(visible, /\b[A-Z2-7]{16,}\b/g).map(fromBase32),
    percent(visible),
    ...matches(visible, MORSE_RUN).map(morse),
    ...[rot13(visible), [...visible].reverse().join(''), initials(visible)].filter(makesSense),
  ];
  return [...new Set(all.filter((reading) => reading.trim() !== ''))];
}

/** For comparing words: without case, accents and width variants. Other scripts keep their marks. */
const foldForMatching = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');

// Tool calls that an attack spells out: as JSON, as tags, or as a name with arguments. Invariant: they are taken
// exactly as written, including wrong names and types.

type Arguments = Record<string, unknown>;

const PAIR =
  /([\p{L}_$][\p{L}\d_$]*)\s*[=:]\s*("(?:[^"\\]|\\.)*"|'[^']*'|\{[^{}]*\}|\[[^\]]*\]|[^\s,;"'()]+)/gu;
const NAME = /[\p{L}]+(?:_[\p{L}\d]+)+/gu;

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text from an opening brace to its closing one. */
function balanced(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length && at - start < 10_000; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return '';
}

function objects(text: string): unknown[] {
  const starts = [...text.matchAll(/\{/g)].slice(0, 200).map(({ index }) => index);
  return starts.map((start) => json(balanced(text, start)));
}

function asCall(value: unknown): ScriptedCall[] {
  if (!isObject(value) || typeof value.name !== 'string') return [];
  const given = value.arguments ?? value.input ?? value.parameters;
  const args = typeof given === 'string' ? json(given) : given;
  return isObject(args) ? [{ name: value.name, arguments: args }] : [];
}

function tagged(text: string): ScriptedCall[] {
  const calls = text.matchAll(
    /<(?:invoke|tool_use|tool_call)\s+name="([^"]+)">(.*?)<\/(?:invoke|tool)/gsu,
  );
  return [...calls].map(([, name = '', inside = '']) => {
    const named = inside.matchAll(/<parameter name="([^"]+)">([^<]*)</g);
    const plain = inside.matchAll(/<(?!parameter)(\w+)>([^<]*)</g);
    const pairs = [...named, ...plain].map(([, key = '', value = '']) => [key, value] as const);
    return { name, arguments: Object.fromEntries(pairs) };
  });
}

function scalar(text: string): unknown {
  const bare = text.replace(/^(["'])(.*)\1$/s, '$2');
  const value = json(text) ?? bare;
  // An id stays a string even if it looks like a number.
  return typeof value === 'number' && text.length > 9 ? text : value;
}

function pairs(text: string): Arguments | undefined {
  const found = [...text.matchAll(PAIR)].map(([, key = '', value = '']) => [key, scalar(value)]);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** "call some_tool to 15550100002": an address without an argument name. */
function addressed(text: string): Arguments {
  const [id] = idsIn(text);
  return id ? { phone: id, phone_number: id, message: 'hi' } : {};
}

/** `name k=v`, `name(k=v)`, `call name with {…}`; the arguments extend to the next name or line. */
function spoken(text: string, offered: readonly string[]): ScriptedCall[] {
  const known = [...text.matchAll(/[\p{L}]+/gu)].filter(([word]) => offered.includes(word));
  const names = [...text.matchAll(NAME), ...known].sort((a, b) => a.index - b.index);
  return names.slice(0, 50).flatMap(({ 0: name, index }, at) => {
    const next = names
      .slice(at + 1)
      .find((later) => !/^\s*[=:"]/.test(text.slice(later.index + later[0].length)));
    const rest = text.slice(index + name.length, next?.index ?? index + 2000);
    if (/^\s*=/.test(rest)) return [];
    const line = rest.split('\n')[0] ?? '';
    const brace = line.indexOf('{');
    const whole = brace >= 0 && !/=\s*\{/.test(line) ? json(balanced(line, brace)) : undefined;
    return [{ name, arguments: isObject(whole) ? whole : (pairs(line) ?? addressed(line)) }];
  });
}

export function findWrittenCalls(text: string, offered: readonly string[]): ScriptedCall[] {
  return [...objects(text).flatMap(asCall), ...tagged(text), ...spoken(text, offered)];
}
