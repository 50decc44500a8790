// Escapes text for Markdown: `<…>` outside of code would be taken for HTML.

export const escaped = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/</g, '&lt;')))
    .join('');

/** Begins with a capital and ends with a full stop. */
export const sentence = (text: string): string =>
  `${escaped(text.charAt(0).toUpperCase() + text.slice(1))}${/[.!?]$/.test(text) ? '' : '.'}`;
