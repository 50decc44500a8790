// What the address of the chats says: which are listed, and at which message one is opened. Pure. What is not known
// here is left out, so that no link can break the page.

export interface ChatsSearch {
  /** A name or a number. */
  readonly q?: string;
  /** WhatsApp's id of a message to begin at. */
  readonly message?: string;
}

/** The router reads digits as numbers. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 128) : '';

export function readChatsSearch(raw: Readonly<Record<string, unknown>>): ChatsSearch {
  const q = wordOf(raw.q);
  const message = wordOf(raw.message);
  return { ...(q === '' ? {} : { q }), ...(message === '' ? {} : { message }) };
}
