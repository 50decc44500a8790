// The texts of the console in the reader's language. Catalogues are in locales/<locale>/<area>.json, in ICU message
// format; the build compiles them, so the page has no parser. A page's catalogue is loaded with the page.
import { setupI18n } from '@lingui/core';
import type approvals from './locales/en/approvals.json';
import type assistant from './locales/en/assistant.json';
import type chats from './locales/en/chats.json';
import type common from './locales/en/common.json';
import type conversations from './locales/en/conversations.json';
import type decisions from './locales/en/decisions.json';
import type errors from './locales/en/errors.json';
import type groups from './locales/en/groups.json';
import type home from './locales/en/home.json';
import type ledger from './locales/en/ledger.json';
import type media from './locales/en/media.json';
import type passkey from './locales/en/passkey.json';
import type people from './locales/en/people.json';
import type schedules from './locales/en/schedules.json';
import type search from './locales/en/search.json';
import type settings from './locales/en/settings.json';
import type tools from './locales/en/tools.json';

interface Catalogues {
  readonly approvals: typeof approvals;
  readonly assistant: typeof assistant;
  readonly chats: typeof chats;
  readonly common: typeof common;
  readonly conversations: typeof conversations;
  readonly decisions: typeof decisions;
  readonly errors: typeof errors;
  readonly groups: typeof groups;
  readonly home: typeof home;
  readonly ledger: typeof ledger;
  readonly media: typeof media;
  readonly passkey: typeof passkey;
  readonly people: typeof people;
  readonly schedules: typeof schedules;
  readonly search: typeof search;
  readonly settings: typeof settings;
  readonly tools: typeof tools;
}

export type Area = keyof Catalogues;

/** `home.title`: the area, then the key in its catalogue. */
export type TextId = {
  [Name in Area]: `${Name}.${Extract<keyof Catalogues[Name], string>}`;
}[Area];

export type MessageValues = Readonly<Record<string, string | number>>;

export const LOCALES = {
  en: 'English',
  ar: 'العربية',
  de: 'Deutsch',
  es: 'Español',
  hi: 'हिन्दी',
  id: 'Bahasa Indonesia',
  'pt-BR': 'Português (Brasil)',
} as const;

export type Locale = keyof typeof LOCALES;

const i18n = setupI18n({
  missing: (locale, id) => {
    if (import.meta.env.PROD) return id;
    throw new Error(`The ${locale} catalogue has no text ${id}, or it is not loaded yet.`);
  },
});

/** Stands for a backslash in a value: the library would turn `\\u202e` in a contact's name into that character. */
const BACKSLASH = '\uE000';

/** A text in the reader's language. Never at the top of a module: no catalogue is loaded then. */
export function t(id: TextId, values: MessageValues = {}): string {
  const safe = mapStrings(values, (value) => isolate(value.replaceAll('\\', BACKSLASH)));
  return i18n._(id, safe).replaceAll(BACKSLASH, '\\');
}

/** Whether there is a text with an id that comes from the daemon, such as an error code, and it is loaded. */
export const isTextId = (id: string): id is TextId => Object.hasOwn(i18n.messages, id);

export const mapStrings = (
  values: MessageValues,
  change: (value: string) => string,
): MessageValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? change(value) : value,
    ]),
  );

/** One word: it needs no isolation, and may choose a case of a message. */
const WORD = /^[\w-]*$/;

/** Keeps the order of a number or a name in text that is written from right to left. */
export const isolate = (text: string): string =>
  textDirection(i18n.locale as Locale) === 'rtl' && !WORD.test(text) ? `\u2068${text}\u2069` : text;

export const textDirection = (locale: Locale): 'ltr' | 'rtl' => (locale === 'ar' ? 'rtl' : 'ltr');

/**
 * The direction of a sentence that may be in English. In the language of the page it follows the page, because its
 * first word may be a Latin name: `Relay غير مرتبط`.
 */
export const sentenceDirection = (text: string): 'auto' | undefined =>
  textDirection(i18n.locale as Locale) === 'rtl' && /\p{Script=Arabic}/u.test(text)
    ? undefined
    : 'auto';

/** The first known locale of a list of language tags: an exact match, or one of the same language. */
export function matchLocale(languages: readonly string[]): Locale {
  const known = Object.keys(LOCALES) as Locale[];
  const languageOf = (tag: string): string => tag.toLowerCase().split('-')[0] ?? '';
  for (const tag of languages) {
    const match =
      known.find((locale) => locale.toLowerCase() === tag.toLowerCase()) ??
      known.find((locale) => languageOf(locale) === languageOf(tag));
    if (match !== undefined) return match;
  }
  return 'en';
}

const CHOSEN = 'relay-locale';

/** The language the owner chose in this browser; null follows the browser. */
export const chosenLocale = (): Locale | null => {
  const chosen = localStorage.getItem(CHOSEN);
  return chosen !== null && chosen in LOCALES ? (chosen as Locale) : null;
};

/** Stores the choice and loads the console again in that language. */
export function chooseLocale(locale: Locale | null): void {
  if (locale === null) localStorage.removeItem(CHOSEN);
  else localStorage.setItem(CHOSEN, locale);
  location.reload();
}

type Compiled = Parameters<typeof i18n.load>[1];

const catalogues = import.meta.glob<Compiled>('./locales/*/*.json', { import: 'default' });

/** Sets the language of the page, and loads the texts that it shows first. */
export async function startLocale(...areas: readonly Area[]): Promise<void> {
  const locale = chosenLocale() ?? matchLocale(navigator.languages);
  document.documentElement.lang = locale;
  document.documentElement.dir = textDirection(locale);
  await load(locale, areas);
  // Dates and numbers follow the region of the browser if it speaks the same language: en-GB, es-MX.
  const regional = navigator.languages.find((tag) => matchLocale([tag]) === locale);
  activateLocale(locale, regional);
}

export const loadMessages = (...areas: readonly Area[]): Promise<void> =>
  load(i18n.locale as Locale, areas);

async function load(locale: Locale, areas: readonly Area[]): Promise<void> {
  await Promise.all(
    areas.map(async (area) => {
      const messages = await catalogues[`./locales/${locale}/${area}.json`]?.();
      if (messages !== undefined) addMessages(locale, area, messages);
    }),
  );
}

/** The locale for `Intl`. */
export const formatLocale = (): string => String(i18n.locales ?? i18n.locale);

/** Exported for unit tests. Texts, phone numbers and codes have Western digits, so numbers and dates have them too. */
export function activateLocale(locale: Locale, regional: string = locale): void {
  i18n.activate(locale, new Intl.Locale(regional, { numberingSystem: 'latn' }).toString());
}

export function addMessages(locale: Locale, area: Area, messages: Compiled): void {
  i18n.load(
    locale,
    Object.fromEntries(Object.entries(messages).map(([key, text]) => [`${area}.${key}`, text])),
  );
}
