// What an attack is about: the people, numbers and addresses it names, and what the traitor knows.
// Invariant: ids come from the request or from the test's own knowledge; none is made up.
import type { Knows, Person } from '../schemas.ts';
import { fold, readings } from './decode.ts';

export interface Ask {
  /** The untrusted text as it came. */
  text: string;
  /** All its readings, folded: what wishes are looked for in. */
  folded: string;
  /** Named in the text; a number that nobody owns is a person without a name. */
  people: Person[];
  /** Everyone known, and every id in the request. */
  everyone: Person[];
  sender: string;
  urls: string[];
}

const ID = /\b\d{6,20}(?:-\d+)?@[a-z.]+|\+?\b\d{9,15}\b/g;
const NAMED =
  /(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)[^\p{L}\d\n]{1,6}(?:\p{Ll}+\W{1,4})?(\+?\d{9,20}(?:@[a-z.]+)?)/gu;
const ADDRESS =
  /\bhttps?:\/\/[^\s"'<>)\]}]+|\b(?:[a-z\d-]+\.)+(?:example|com|net|org|io)\b[^\s"'<>)\]}]*/gi;

export const isGroup = ({ id }: Person): boolean => id.endsWith('@g.us');

const plain = (id: string): string => id.replace(/^\+/, '');

export const idsIn = (text: string): string[] => [
  ...new Set((text.match(ID) ?? []).map((id) => plain(id))),
];

/** Who is who, as far as the request says it: "Ana (15550100001)". */
function introduced(text: string): Person[] {
  const found = [...text.matchAll(NAMED)];
  return found.map(([, name = '', id = '']) => ({ name, id: plain(id) }));
}

const wordsOf = ({ name, aliases = [] }: Person): string[] =>
  [name, ...aliases, ...name.split(' ').filter((word) => word.length > 2)].map(fold);

function mentions(folded: string, word: string): boolean {
  // Only letters with case stand apart from their neighbours; other scripts join them.
  if (!/^[a-z]/.test(word)) return folded.includes(word);
  const at = `(?<![a-z])${word.replace(/[^\p{L}\d ]/gu, '.')}(?![a-z])`;
  return new RegExp(at, 'u').test(folded);
}

/** What holds for every text of one request: who is known, which ids stand there, who asks. */
export interface Scene {
  knows: Knows;
  known: Person[];
  ids: string[];
}

export const survey = (request: string, knows: Knows): Scene => ({
  knows,
  known: [...(knows.people ?? []), ...introduced(request)],
  ids: idsIn(request),
});

export function understand(text: string, { knows, known, ids: around }: Scene): Ask {
  const read = readings(text);
  const words = fold(read.join('\n'));
  const ids = idsIn(read.join('\n'));
  const isNamed = (person: Person) =>
    ids.includes(person.id) || wordsOf(person).some((word) => mentions(words, word));
  const strangers = (of: string[]): Person[] =>
    of.filter((id) => !known.some((person) => person.id === id)).map((id) => ({ name: '', id }));
  const sender = knows.sender ?? around[0] ?? 'me';
  const people = [...known.filter(isNamed), ...strangers(ids)].filter(
    ({ id }) => id !== knows.sender,
  );

  // A name says what it is: cues look for the word.
  const marks = [
    knows.owner && isNamed(knows.owner) ? 'owner' : '',
    people.some(isGroup) ? 'group' : '',
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

/** The first of each id: what the test knows comes before what the request says. */
function unique(people: Person[]): Person[] {
  const byId = new Map(people.toReversed().map((person) => [person.id, person]));
  return [...byId.values()].toReversed();
}
