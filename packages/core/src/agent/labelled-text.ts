// Text on its way to a model, with whose text it is. A prompt is made of nothing else: a plain string does not fit, so
// whoever builds one has to say where it comes from. Instructions take only what Relay or its owner wrote.
import { isTainted, joinTaints, type Taint, UNTAINTED } from '../policy/facts.ts';

declare const label: unique symbol;

export interface LabelledText {
  readonly text: string;
  /** Whose text is in it, besides Relay's and the owner's. */
  readonly from: Taint;
  readonly [label]: 'trusted' | 'untrusted';
}

export interface TrustedText extends LabelledText {
  readonly [label]: 'trusted';
}

const made = (text: string, from: Taint): LabelledText => ({ text, from }) as LabelledText;

/** What Relay says, or its owner wrote. Never for what was read from a chat, a program or the web. */
export const trustedText = (text: string): TrustedText => made(text, UNTAINTED) as TrustedText;

export const untrustedText = (text: string, from: Taint): LabelledText => made(text, from);

export const textFromChat = (text: string, ...chats: Taint['chats']): LabelledText =>
  made(text, { chats, outside: false });

export const isTrustedText = (given: LabelledText): given is TrustedText => !isTainted(given.from);

type Whole<Parts extends readonly LabelledText[]> = Parts[number] extends TrustedText
  ? TrustedText
  : LabelledText;

/** A template of Relay's own words; what is put into it keeps its label. */
export const prompt = <Parts extends readonly LabelledText[]>(
  words: TemplateStringsArray,
  ...parts: Parts
): Whole<Parts> =>
  made(
    words.reduce((text, next, at) => `${text}${parts[at - 1]?.text ?? ''}${next}`),
    allOf(parts),
  ) as Whole<Parts>;

/** Without those that are empty. */
export const joinTexts = <Part extends LabelledText>(
  parts: readonly Part[],
  separator: string,
): Part => {
  const kept = parts.filter(({ text }) => text !== '');
  return made(kept.map(({ text }) => text).join(separator), allOf(kept)) as Part;
};

/** The same text, cut or marked: the label stays. */
export const mapText = <Part extends LabelledText>(
  part: Part,
  change: (text: string) => string,
): Part => made(change(part.text), part.from) as Part;

const allOf = (parts: readonly LabelledText[]): Taint =>
  parts.map(({ from }) => from).reduce(joinTaints, UNTAINTED);
