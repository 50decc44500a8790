// A text with links, emphasis or other elements in it. The catalogue marks them as tags: `See <a>the ledger</a>.`
// Invariant: a value cannot bring a tag of its own.
import { cloneElement, type ReactElement, type ReactNode } from 'react';
import { type MessageValues, mapStrings, type TextId, t } from '../i18n.ts';

interface RichTextProps {
  readonly id: TextId;
  readonly values?: MessageValues;
  /** An element for each tag. */
  readonly components: Readonly<Record<string, ReactElement>>;
}

const TAG = /<(\w+)>(.*?)<\/\1>|<(\w+)\/>/gs;
/** Stands for `<` in a value while tags are found. */
const BRACKET = '\uE001';

export function RichText({ id, values = {}, components }: RichTextProps) {
  const text = t(
    id,
    mapStrings(values, (value) => value.replaceAll('<', BRACKET)),
  );
  return render(text, components);
}

function render(text: string, components: RichTextProps['components']): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(TAG)) {
    const [whole, around, inner, alone] = match;
    parts.push(text.slice(end, match.index).replaceAll(BRACKET, '<'));
    const element = components[around ?? alone ?? ''];
    if (element !== undefined) {
      const children = inner === undefined ? [] : render(inner, components);
      parts.push(cloneElement(element, { key: match.index }, ...children));
    }
    end = match.index + whole.length;
  }
  parts.push(text.slice(end).replaceAll(BRACKET, '<'));
  return parts;
}
