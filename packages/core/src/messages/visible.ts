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

export const visible = (text: string): string =>
  text.replace(PIECE, (piece: string, hidden?: string) =>
    hidden === undefined ? piece : `⟨${nameOf(hidden)}⟩`,
  );

/** Which characters are written out, each once, as in U+202E. */
export const hiddenIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PIECE)].flatMap(([, hidden]) => (hidden ? nameOf(hidden) : []))),
];

const nameOf = (sign: string): string =>
  `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
