// Messages of a group as a digest's model may see them: no account, code, number or address in any of them,
// and what is private told by nobody in particular. What the model has not seen it cannot tell.
import type { GroupMessage } from '../message.ts';
import type { Judged } from '../verdict.ts';
import { maskIdentifiers } from './identifiers.ts';
import { type PrivateMatter, privateMatter, withoutPrivate } from './private.ts';

/** How long a talk about something private is taken to go on. */
const TALK_MS = 20 * 60_000;

export const ANONYMOUS = 'A member';

/** Members by the digits that a mention has in the place of their name. */
export type MentionNames = ReadonlyMap<string, string>;

/** In their order; noise is left as it is, since no line is made of its words. */
export function maskPrivate(judged: readonly Judged[], names: MentionNames): readonly Judged[] {
  const matters = new Map<string, PrivateMatter>();
  let last: { readonly at: number; readonly matter: PrivateMatter } | null = null;
  return judged.map(({ message, verdict }) => {
    const at = message.at.getTime();
    const talk: PrivateMatter | null =
      last !== null && at - last.at <= TALK_MS ? last.matter : null;
    const answered = message.quotedId === null ? undefined : matters.get(message.quotedId);
    const matter = privateMatter(message.text, answered ?? talk);
    if (matter !== null) {
      matters.set(message.id, matter);
      last = { at, matter };
    }
    const named = {
      ...message,
      senderName: nameToTell(message),
      text: withNames(message.text, names),
    };
    const masked =
      matter === null ? { ...named, text: maskIdentifiers(named.text) } : anonymous(named, matter);
    return { verdict, message: masked };
  });
}

/** Who is away for a private reason may be named; who is ill or owes somebody may not. */
function anonymous(message: GroupMessage, matter: PrivateMatter): GroupMessage {
  const { left, times } = withoutPrivate(message.text, matter);
  const what = times.length === 0 ? matter : `${matter}; times named: ${times.join(', ')}`;
  const text =
    left === ''
      ? `shared something private (${what})`
      : `${maskIdentifiers(left)} (left out: something private, ${what})`;
  if (matter === 'personal') return { ...message, text };
  // Told apart from nobody, not even by what it answers.
  return {
    ...message,
    text,
    senderName: ANONYMOUS,
    sender: ANONYMOUS,
    fromOwner: false,
    quotedId: null,
  };
}

/** Whoever has no name is known by the end of their number: enough to tell people apart, too little to call. */
export const nameToTell = ({ senderName }: Pick<GroupMessage, 'senderName'>): string =>
  senderName.replace(/\+?\d[\d ()-]{5,}\d/g, (number) => `…${number.replace(/\D/g, '').slice(-4)}`);

const MENTION = /@(\d{5,20})(?!\d)/g;

/** On the wire a mention is a number. */
const withNames = (text: string, names: MentionNames): string =>
  text.replace(MENTION, (_, digits: string) => `@${names.get(digits) ?? 'somebody'}`);

/** The digits of all who are mentioned, each once. */
export const mentionedIn = (judged: readonly Judged[]): readonly string[] => [
  ...new Set(
    judged.flatMap(({ message }) => [...message.text.matchAll(MENTION)].map(([, at]) => at ?? '')),
  ),
];
