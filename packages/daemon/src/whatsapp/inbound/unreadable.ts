// What the reader throws for bytes that are no message of WhatsApp's: always this, whatever was wrong.
import { storable } from '@relay/core/messages/text';

export class UnreadableMessage extends Error {
  constructor(what: string, options: { cause?: unknown } = {}) {
    super(what, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UnreadableMessage';
  }
}

/** Text from outside in a form that every store takes, and not endless. */
export const cleanText = (text: string, longest: number): string =>
  storable(text.slice(0, longest));
