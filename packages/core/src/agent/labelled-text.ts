// Text for a model, labelled with its origin. A prompt accepts no plain string, so its builder has to state the origin.
// Instructions accept only text by Relay or its owner.
import { isTainted, joinTaints, type Taint, UNTAINTED } from '../policy/facts.ts';

declare const label: unique symbol;

export interface LabelledText {
  readonly text: string;
  /** Whose text it contains, besides Relay's and the owner's. */
  readonly taint: Taint;
  readonly [label]: 'trusted' | 'untrusted';
}

export interface TrustedText extends LabelledText {
  readonly [label]: 'trusted';
}

const made = (text: string, taint: Taint): LabelledText => ({ text, taint }) as LabelledText;

/** Text by Relay or its owner. Never for text from a chat, a client or the web. */
export const trustedText = (text: string): TrustedText => made(text, UNTAINTED) as TrustedText;

export const untrustedText = (text: string, from: Taint): LabelledText => made(text, from);

export const textFromChat = (text: string, ...chats: Taint['chats']): LabelledText =>
  made(text, { chats, outside: false });

export const isTrustedText = (given: LabelledText): given is TrustedText => !isTainted(given.taint);

type Whole<Parts extends readonly LabelledText[]> = Parts[number] extends TrustedText
  ? TrustedText
  : LabelledText;

/** A template in Relay's own words; inserted texts keep their labels. */
export const prompt = <Parts extends readonly LabelledText[]>(
  words: TemplateStringsArray,
  ...parts: Parts
): Whole<Parts> =>
  made(
    words.reduce((text, next, at) => `${text}${parts[at - 1]?.text ?? ''}${next}`),
    allOf(parts),
  ) as Whole<Parts>;

/** Omits empty texts. */
export const joinTexts = <Part extends LabelledText>(
  parts: readonly Part[],
  separator: string,
): Part => {
  const kept = parts.filter(({ text }) => text !== '');
  return made(kept.map(({ text }) => text).join(separator), allOf(kept)) as Part;
};

/** Changes the text, for example to shorten it, and keeps its label. */
export const mapText = <Part extends LabelledText>(
  part: Part,
  change: (text: string) => string,
): Part => made(change(part.text), part.taint) as Part;

const allOf = (parts: readonly LabelledText[]): Taint =>
  parts.map(({ taint }) => taint).reduce(joinTaints, UNTAINTED);
