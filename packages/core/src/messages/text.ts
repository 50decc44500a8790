// Text that a stranger chose, made fit for a text column. PostgreSQL holds neither NUL nor half a
// surrogate pair; both become U+FFFD, and the bytes as they came stay in the message's content.

export const toStorableText = (text: string): string =>
  text.isWellFormed() && !text.includes('\0')
    ? text
    : text.toWellFormed().replaceAll('\0', '\uFFFD');

// Text as it is shown where somebody decides on it: characters that cannot be seen, or that change the order of those
// around them, are written out as in ⟨U+202E⟩. What emoji, flags and scripts such as Persian or Hindi are made of stays.

/** Scripts in whose words an invisible (non-)joiner is ordinary spelling. */
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

/** Which characters are written out, each once, as in U+202E. */
export const hiddenCharactersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PIECE)].flatMap(([, hidden]) => (hidden ? nameOf(hidden) : []))),
];

const nameOf = (sign: string): string =>
  `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

// The words of the message to oneself that proves the wire. Whoever finds them in the owner's own chat knows that it was
// proven before: do not change them lightly. Pure.
export const PROBE_MESSAGE_TEXT =
  'Relay is connected. This message to yourself shows that sending works.';

// How the assistant signs what it writes on WhatsApp, so that nobody takes it for the owner's own words,
// least of all the assistant itself.

const ASSISTANT_SIGNATURE = '[BOT]';

export const signText = (text: string): string => `${text}\n\n${ASSISTANT_SIGNATURE}`;

export const isSignedText = (text: string): boolean => text.trimEnd().endsWith(ASSISTANT_SIGNATURE);
