// The contact's text in a prompt: everything between the turn's marks.

const MARKED = /<contact-[0-9a-f]{8}>\n([\s\S]*?)\n<\/contact-[0-9a-f]{8}>/g;

export const contactText = (prompt: string): string =>
  [...prompt.matchAll(MARKED)].map(([, words = '']) => words).join('\n');
