// Which messages are private, and what of them may be told. Decided by rule, message by message and with an
// eye on the ones before: the answer to a private question is private too. Pure.
import { fold } from '../../search/fold.ts';
import {
  AMOUNT,
  BLOOD_PRESSURE,
  HEALTH_CARE,
  HEALTH_DIET,
  HEALTH_ILLNESS,
  HEALTH_PEOPLE,
  HEALTH_STRONG,
  MEDICINE,
  MONEY_BACK,
  MONEY_STRONG,
  MYSELF,
  PERSONAL_APPOINTMENT,
  PERSONAL_PAPERS,
  PERSONAL_STRONG,
  READING,
  TIMES,
} from './words.ts';

export type PrivateMatter = 'health' | 'money' | 'personal';

/** Folded, each word between two spaces. */
type Folded = string;

const foldWords = (text: string): Folded =>
  ` ${fold(text).replace(/[^\p{L}\p{M}\p{N}&]+/gu, ' ')} `;

type Matcher = (text: Folded) => number;

/** How many different words of the list a text has. */
function matcher(list: readonly string[]): Matcher {
  const forms = list.map((word) => {
    const stem = word.endsWith('*');
    return ` ${fold(stem ? word.slice(0, -1) : word)}${stem ? '' : ' '}`;
  });
  return (text) => forms.filter((form) => text.includes(form)).length;
}

const strong = matcher(HEALTH_STRONG);
const illness = matcher(HEALTH_ILLNESS);
const care = matcher(HEALTH_CARE);
const people = matcher(HEALTH_PEOPLE);
const diet = matcher(HEALTH_DIET);
const money = matcher(MONEY_STRONG);
const personal = matcher(PERSONAL_STRONG);
const papers = matcher(PERSONAL_PAPERS);
const appointment = matcher(PERSONAL_APPOINTMENT);

/** `after` is what the talk was about just before; a little is enough then. */
export function privateMatter(
  text: string,
  after: PrivateMatter | null = null,
): PrivateMatter | null {
  const words = foldWords(text);
  if (isHealth(text, words, after === 'health')) return 'health';
  if (money(words) > 0 || (MONEY_BACK.test(text) && AMOUNT.test(text))) return 'money';
  return isPersonal(words) ? 'personal' : null;
}

const isPersonal = (words: Folded): boolean =>
  personal(words) > 0 || (papers(words) > 0 && appointment(words) > 0);

function isHealth(text: string, words: Folded, followsUp: boolean): boolean {
  if (strong(words) > 0 || MEDICINE.test(text) || BLOOD_PRESSURE.test(text)) return true;
  if (diet(words) > 0 && MYSELF.test(text)) return true;
  const ill = illness(words);
  const cared = care(words);
  if (ill > 1 || (ill > 0 && cared + people(words) > 0) || cared > 1) return true;
  if (cared > 0 && READING.test(text)) return true;
  return followsUp && (ill + cared > 0 || READING.test(text));
}

const CLAUSES = /(?<=[.!?;।؟\n])\s+|(?<=[,،])\s+/u;

/** What is left of a message once its private clauses are gone; and the times that they named. */
export function withoutPrivate(
  text: string,
  matter: PrivateMatter,
): { readonly left: string; readonly times: readonly string[] } {
  const clauses = text.split(CLAUSES);
  const told = clauses.filter((clause) => !isTelling(clause, matter));
  const gone = clauses.filter((clause) => isTelling(clause, matter)).join(' ');
  return {
    left: told.join(' ').trim(),
    times: [...new Set(gone.match(TIMES) ?? [])],
  };
}

function isTelling(clause: string, matter: PrivateMatter): boolean {
  const words = foldWords(clause);
  switch (matter) {
    case 'health':
      return isHealth(clause, words, true) || diet(words) > 0;
    case 'money':
      return money(words) > 0 || MONEY_BACK.test(clause) || AMOUNT.test(clause);
    case 'personal':
      return personal(words) + papers(words) > 0;
  }
}
