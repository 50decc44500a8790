// Masks a group's messages for the digest's model: no account, code, number or address remains, and private matters
// have no name attached. A model cannot reveal what it has not seen.
import type { GroupMessage, JudgedMessage } from '../message.ts';
import { type PrivateMatter, privateMatter, withoutPrivate } from './private-matters.ts';

/** How long an exchange about something private is assumed to last. */
const TALK_MS = 20 * 60_000;

const ANONYMOUS = 'A member';

/** Members by the digits of their mention. */
type MentionNames = ReadonlyMap<string, string>;

/** In order. Noise is unchanged, because its text is never used. */
export function maskPrivate(
  judged: readonly JudgedMessage[],
  names: MentionNames,
): readonly JudgedMessage[] {
  const matters = new Map<string, PrivateMatter>();
  let last: { readonly at: number; readonly matter: PrivateMatter } | null = null;
  return judged.map(({ message, verdict }) => {
    const at = message.at.getTime();
    const talk: PrivateMatter | null =
      last !== null && at - last.at <= TALK_MS ? last.matter : null;
    const answered = message.quotedId === null ? undefined : matters.get(message.quotedId);
    const matter = privateMatter(message.text, answered ?? talk);
    if (matter !== null) {
      matters.set(message.id, matter);
      last = { at, matter };
    }
    const named = {
      ...message,
      senderName: maskedSenderName(message),
      text: withNames(message.text, names),
    };
    const masked =
      matter === null ? { ...named, text: maskIdentifiers(named.text) } : anonymous(named, matter);
    return { verdict, message: masked };
  });
}

/** Somebody who is away for a private reason may be named; somebody who is ill or owes money may not. */
function anonymous(message: GroupMessage, matter: PrivateMatter): GroupMessage {
  const { left, times } = withoutPrivate(message.text, matter);
  const what = times.length === 0 ? matter : `${matter}; times named: ${times.join(', ')}`;
  const text =
    left === ''
      ? `shared something private (${what})`
      : `${maskIdentifiers(left)} (left out: something private, ${what})`;
  if (matter === 'personal') return { ...message, text };
  // Must not be identifiable, not even by what it answers.
  return {
    ...message,
    text,
    senderName: ANONYMOUS,
    sender: ANONYMOUS,
    fromOwner: false,
    quotedId: null,
  };
}

/** Without a name, people are shown by the end of their number: enough to distinguish them, too little to call. */
export const maskedSenderName = ({ senderName }: Pick<GroupMessage, 'senderName'>): string =>
  senderName.replace(/\+?\d[\d ()-]{5,}\d/g, (number) => `…${number.replace(/\D/g, '').slice(-4)}`);

const MENTION = /@(\d{5,20})(?!\d)/g;

/** WhatsApp delivers a mention as a number. */
const withNames = (text: string, names: MentionNames): string =>
  text.replace(MENTION, (_, digits: string) => `@${names.get(digits) ?? 'somebody'}`);

/** The digits of all mentioned people, each once. */
export const mentionedDigits = (judged: readonly JudgedMessage[]): readonly string[] => [
  ...new Set(
    judged.flatMap(({ message }) => [...message.text.matchAll(MENTION)].map(([, at]) => at ?? '')),
  ),
];

// Recognises accounts, cards, codes, numbers and addresses by their form and replaces them with their kind, before any
// model sees them. When in doubt it masks. Every repetition that could match at many positions is bounded, so hostile
// text cannot make it slow.

const GAP = String.raw`[ .\-\u00a0\u2010-\u2015/]?`;

/** Words before an account number. */
const ACCOUNT_WORD =
  'a/c|acct|account|acc(?:ount)? ?(?:no|number)|sort code|ifsc|iban|bic|swift|routing|upi|konto(?:nummer)?|cuenta|conta|compte|khata|खाता|حساب|آيبان';

/** Words before a secret code. */
const CODE_WORD =
  'pin|pin ?code|passcode|password|passwort|pwd|otp|cvv|cvc|(?:alarm|door|gate|safe|entry|access|security|key|lock|wi-?fi)[ -]?(?:code|pin|key|password)?|code|codes|c[oó]digo|clave|contrase[nñ]a|senha|kennwort|mot de passe|codice|kod|पिन|पासवर्ड|कोड|رمز|كود|الرقم السري';

const PAPERS_WORD =
  'passport|pasaporte|passaporte|reisepass|aadhaar|aadhar|pan card|ssn|social security|national insurance|dni|nie|nif|cpf|جواز';

/** One or two words such as `is`, `number:` or `es` may come between. */
const BETWEEN = String.raw`[\s:.#=\-]{0,3}(?:(?:is|are|was|no|nr|num|number|new|now|es|é|ist|है|hai|de|del|da|do|:)[\s:.#=\-]{1,3}){0,3}`;

const STREET =
  'street|road|rd|avenue|ave|lane|crescent|boulevard|blvd|marg|nagar|gali|colony|vihar|enclave';
/** Ordinary words unless capitalised like names. */
const STREET_NAME = 'St|Drive|Close|Terrace|Gardens|Square|Way|Court|Place';
const STREET_FIRST =
  'calle|c/|avenida|av\\.|avda\\.?|plaza|paseo|rua|travessa|pra[cç]a|rue|avenue de|boulevard|via|viale|piazza|شارع';

const MONEY = '[€$£¥₹]|rs\\.?|inr|eur|usd|gbp|aed';

const RULES: readonly (readonly [RegExp, string])[] = [
  [
    /(?<![\p{L}\d._%+-])[\p{L}\d._%+-]+@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,4}/giu,
    '[e-mail address]',
  ],
  [/\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?\b/g, '[bank account]'],
  [/\b[A-Z]{4}0[A-Z0-9]{6}\b/g, '[bank code]'],
  [
    new RegExp(
      String.raw`(?<=(?<![\p{L}])(?:${ACCOUNT_WORD})${BETWEEN})[A-Z]{0,4}\d[\dA-Z]{0,3}(?:${GAP}[\dA-Z]{1,6}){0,8}`,
      'giu',
    ),
    '[bank account]',
  ],
  [
    new RegExp(
      String.raw`(?<=(?<![\p{L}])(?:${CODE_WORD})(?![\p{L}])${BETWEEN})(?=[^\s]{0,15}\d)[^\s,;()]{3,16}`,
      'giu',
    ),
    '[code]',
  ],
  [
    new RegExp(
      String.raw`(?<=(?<![\p{L}])(?:${PAPERS_WORD})${BETWEEN})(?=[^\s]{0,15}\d)[\p{L}\d-]{5,16}`,
      'giu',
    ),
    '[document number]',
  ],
  // A card, account or phone number. Amounts have a currency or commas.
  [
    new RegExp(
      String.raw`(?<![\p{L}\d.,]|(?:${MONEY}) ?)(?:\+|00)?\d(?:[ .\-()\u00a0]{0,2}\d){6,18}(?![\p{L}\d]|[.,:]\d)`,
      'giu',
    ),
    '[number]',
  ],
  [
    new RegExp(
      String.raw`(?<![\d\p{L}])(?:[a-z]-?)?\d{1,5}[a-z]?,? (?:[\p{L}'’.-]{2,20} ){1,3}(?:${STREET})(?![\p{L}])\.?`,
      'giu',
    ),
    '[address]',
  ],
  [
    new RegExp(
      String.raw`(?<![\d\p{L}])\d{1,5}[A-Za-z]?,? (?:\p{Lu}[\p{L}'’.-]{1,20} ){1,3}(?:${STREET_NAME})(?![\p{L}])\.?`,
      'gu',
    ),
    '[address]',
  ],
  [
    /(?<!\p{L})(?:house|flat|apartment|apt\.?|plot|piso|apto\.?)(?: no\.?)? ?\d{1,5}[a-z]?(?:, ?(?:lane|street|road|sector|block|floor) ?\d{1,4})?(?![\d\p{L}])/giu,
    '[address]',
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}])(?:${STREET_FIRST}) (?:[\p{L}'’.-]{1,20} ){0,4}[\p{L}'’.-]{1,20},? ?(?:n[ºo°.]{1,2} ?)?\d{1,5}[a-z]?(?![\d:])`,
      'giu',
    ),
    '[address]',
  ],
  [
    /(?<![\p{L}])\p{L}{3,30}(?:stra(?:ss|ß)e|str\.|weg|platz|allee) \d{1,4}[a-z]?(?![\d:])/giu,
    '[address]',
  ],
];

/** Dates and times that the rule for long numbers would match. */
const DATE =
  /^(?:\d{1,2}[.\-/ ]\d{1,2}[.\-/ ](?:19|20)?\d\d|(?:19|20)\d\d[.\-/ ]\d{1,2}[.\-/ ]\d{1,2})$/;
const YEARS = /^(?:19|20)\d\d ?[-–] ?(?:19|20)\d\d$/;

export function maskIdentifiers(text: string): string {
  if (!/[\d@]/.test(text) && !/\p{Nd}/u.test(text)) return text;
  let masked = text.replace(/(?![0-9])\p{Nd}/gu, westernDigit);
  for (const [form, name] of RULES)
    masked = masked.replace(form, (found) =>
      name === '[number]' && (DATE.test(found) || YEARS.test(found) || digitsOf(found) < 7)
        ? found
        : name,
    );
  return masked;
}

const digitsOf = (text: string): number => text.replace(/\D/g, '').length;

/** The ten digits of a script are consecutive code points. */
function westernDigit(digit: string): string {
  let value = 0;
  const code = digit.codePointAt(0) ?? 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
