// What the reader throws for bytes that are no message of WhatsApp's: always this, whatever was wrong.

export class UnreadableMessage extends Error {
  constructor(what: string, options: { cause?: unknown } = {}) {
    super(what, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UnreadableMessage';
  }
}

/** Text from outside in a form that every store takes: no NUL, no half of a character, not endless. */
export const cleanText = (text: string, longest: number): string =>
  text.replaceAll('\0', '').slice(0, longest).toWellFormed();
