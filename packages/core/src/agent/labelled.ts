// Text on its way to a model, with whose text it is. A prompt is made of nothing else: a plain string does not fit, so
// whoever builds one has to say where it comes from. Instructions take only what Relay or its owner wrote.
import { isTainted, type Taint, together, UNTAINTED } from '../policy/facts.ts';

declare const label: unique symbol;

export interface Labelled {
  readonly text: string;
  /** Whose text is in it, besides Relay's and the owner's. */
  readonly from: Taint;
  readonly [label]: 'trusted' | 'untrusted';
}

export interface Trusted extends Labelled {
  readonly [label]: 'trusted';
}

const made = (text: string, from: Taint): Labelled => ({ text, from }) as Labelled;

/** What Relay says, or its owner wrote. Never for what was read from a chat, a program or the web. */
export const trusted = (text: string): Trusted => made(text, UNTAINTED) as Trusted;

export const untrusted = (text: string, from: Taint): Labelled => made(text, from);

export const fromChat = (text: string, ...chats: Taint['chats']): Labelled =>
  made(text, { chats, outside: false });

export const isTrusted = (given: Labelled): given is Trusted => !isTainted(given.from);

type Whole<Parts extends readonly Labelled[]> = Parts[number] extends Trusted ? Trusted : Labelled;

/** A template of Relay's own words; what is put into it keeps its label. */
export const prompt = <Parts extends readonly Labelled[]>(
  words: TemplateStringsArray,
  ...parts: Parts
): Whole<Parts> =>
  made(
    words.reduce((text, next, at) => `${text}${parts[at - 1]?.text ?? ''}${next}`),
    allOf(parts),
  ) as Whole<Parts>;

/** Without those that are empty. */
export const joined = <Part extends Labelled>(parts: readonly Part[], separator: string): Part => {
  const kept = parts.filter(({ text }) => text !== '');
  return made(kept.map(({ text }) => text).join(separator), allOf(kept)) as Part;
};

/** The same text, cut or marked: the label stays. */
export const changed = <Part extends Labelled>(
  part: Part,
  change: (text: string) => string,
): Part => made(change(part.text), part.from) as Part;

const allOf = (parts: readonly Labelled[]): Taint =>
  parts.map(({ from }) => from).reduce(together, UNTAINTED);
