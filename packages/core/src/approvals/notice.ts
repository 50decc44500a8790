// What the owner reads in their own chat when something waits for their yes: for whom, the exact words, and
// how to answer. What is too long to be read whole there is not answered there.

/** So much of an id is shown, and is enough to answer with. */
export const SHORT_ID = 8;

export interface Waiting {
  readonly id: string;
  readonly kind: 'send_message' | 'create_conversation' | 'schedule_message' | 'manage_grant';
  readonly recipient: string;
  readonly text: string;
  /** What the owner calls the program that asks, where one does. */
  readonly program: string | null;
  /** Of a scheduled message. */
  readonly when: string | null;
}

const WANTS: Readonly<Record<Waiting['kind'], (to: string) => string>> = {
  send_message: (to) => `a message to ${to}`,
  create_conversation: (to) => `a conversation with ${to}`,
  schedule_message: (to) => `a scheduled message to ${to}`,
  manage_grant: (to) => `what agents may do with ${to}`,
};

const LONGEST = 3_000;

export function approvalNotice({ id, kind, recipient, text, when, program }: Waiting): string {
  const short = id.slice(0, SHORT_ID);
  const by = program === null ? '' : `, asked for by the program “${program}”,`;
  const about = `Relay: ${WANTS[kind](recipient)}${by} waits for your yes.`;
  if (text.length > LONGEST) {
    return `${about} It is too long to show here → relay approvals`;
  }
  const shown = quoted(when === null ? text : `${text}\n(${when})`);
  return `${about}\n\n${shown}\n\nYes: /approve ${short}. No: /reject ${short}`;
}

/** Each line behind a bar: nothing that somebody wrote looks like a line of Relay's own. */
const quoted = (text: string): string =>
  text
    .split(/\r\n|\r|\n|\u2028|\u2029/)
    .map((line) => `│ ${line}`)
    .join('\n');
