// Makes text from outside safe to store and to show. PostgreSQL cannot store NUL or half a surrogate pair; both become
// U+FFFD, and the original bytes stay in the message's content.

export const toStorableText = (text: string): string =>
  text.isWellFormed() && !text.includes('\0')
    ? text
    : text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Converts every string, field names included, because a model may write anything anywhere. */
export function toStorableValue(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (Array.isArray(value)) return value.map(toStorableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toStorableText(name), toStorableValue(inner)]),
  );
}

// Makes hidden characters visible where a person decides on a text: invisible ones, and those that change the text
// direction, are written out as ⟨U+202E⟩. Characters that emoji, flags and scripts such as Persian or Hindi need are
// kept.

/** Scripts whose ordinary spelling uses an invisible (non-)joiner. */
const JOINING = [
  ...['Arabic', 'Syriac', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Mongolian'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

const tags = (letters: string): string =>
  [...letters].map((letter) => `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join('');

const ORDINARY = [
  // The flags of England, Scotland and Wales.
  `\\u{1f3f4}(?:${['gbeng', 'gbsct', 'gbwls'].map(tags).join('|')})\\u{e007f}`,
  '[0-9#*]\\ufe0f\\u20e3',
  '[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\p{Emoji_Modifier}][\\ufe0e\\ufe0f]?(?:\\u200d(?=\\p{Extended_Pictographic}))?',
  `(?<=[${JOINING}])[\\u200c\\u200d](?=[${JOINING}])`,
  '\\r\\n',
].join('|');

const HIDDEN =
  '[\\p{Default_Ignorable_Code_Point}\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029]';

const PIECE = new RegExp(`(?:${ORDINARY})|(${HIDDEN})`, 'gu');

export const revealHidden = (text: string): string =>
  text.replace(PIECE, (piece: string, hidden?: string) =>
    hidden === undefined ? piece : `⟨${nameOf(hidden)}⟩`,
  );

/** The characters that are written out, each once, such as U+202E. */
export const hiddenCharactersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PIECE)].flatMap(([, hidden]) => (hidden ? nameOf(hidden) : []))),
];

const nameOf = (sign: string): string =>
  `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

// The text of the test message to oneself. Relay recognises an earlier test by it in the owner's own chat: do not
// change it lightly.
export const PROBE_MESSAGE_TEXT =
  'Relay is connected. This message to yourself shows that sending works.';

// The assistant's signature on WhatsApp, so that nobody, including the assistant itself, takes its text for the
// owner's.

const ASSISTANT_SIGNATURE = '[BOT]';

export const signText = (text: string): string => `${text}\n\n${ASSISTANT_SIGNATURE}`;

export const isSignedText = (text: string): boolean => text.trimEnd().endsWith(ASSISTANT_SIGNATURE);
