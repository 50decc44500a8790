// How the assistant signs what it writes on WhatsApp, so that nobody takes it for the owner's own words,
// least of all the assistant itself.

export const SIGNATURE = '[BOT]';

export const signed = (text: string): string => `${text}\n\n${SIGNATURE}`;

export const isSigned = (text: string): boolean => text.trimEnd().endsWith(SIGNATURE);
