// What a contact said, out of a prompt: whatever stands between the marks that a turn gave their words.
const MARKED = /<contact-[0-9a-f]{8}>\n([\s\S]*?)\n<\/contact-[0-9a-f]{8}>/g;

export const saidIn = (prompt: string): string =>
  [...prompt.matchAll(MARKED)].map(([, words = '']) => words).join('\n');
