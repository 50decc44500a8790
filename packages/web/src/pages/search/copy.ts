// Texts of the search page: the status, how a result was found, and the progress of the index. Pure.
import type { MemoryStatus } from '@relay/contract/api/memory';
import type { FoundMessage, SearchResponse } from '@relay/contract/api/search';
import { type TextId, t } from '../../i18n.ts';
import { groupDigits } from '../../parts/format.ts';

/** Whose access a search uses. */
export type SearchReader =
  | { readonly kind: 'owner' | 'assistant' }
  | { readonly kind: 'client'; readonly name: string };

export function resultStatus(
  { sure, hits }: SearchResponse,
  most: number,
  reader: SearchReader,
): string {
  const count = hits.length;
  return t(`search.status.${reader.kind}.${resultExtent(sure, count, most)}`, {
    count,
    name: reader.kind === 'client' ? reader.name : '',
  });
}

function resultExtent(sure: boolean, count: number, most: number) {
  if (count === 0) return 'none';
  if (!sure) return 'near';
  return count === most ? 'more' : 'all';
}

/**
 * A key for each hit. A digest can contain the same fact twice: with equal keys React would leave one of them on screen
 * after the next search.
 */
export function hitKeys(
  hits: readonly Pick<FoundMessage, 'source' | 'chat_id' | 'message_id' | 'text'>[],
): string[] {
  const seen = new Map<string, number>();
  return hits.map(({ source, chat_id, message_id, text }) => {
    const key = `${source} ${chat_id} ${message_id} ${text}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return `${key} ${nth}`;
  });
}

export const matchText = ({ by }: Pick<FoundMessage, 'by'>): string => t(`search.results.by.${by}`);

export function sourceLabel({
  source,
  is_group,
}: Pick<FoundMessage, 'source' | 'is_group'>): string {
  if (source !== 'message') return t(`search.results.source.${source}`);
  return t(is_group ? 'search.results.source.group' : 'search.results.source.direct');
}

/** What is searched and how. */
export function searchIndexSummary(memory: MemoryStatus): string {
  const { embeddings, documents, vectors, waiting, failure } = memory;
  if (documents === 0) return t('search.index.empty');
  if (embeddings === 'off') return t('search.index.words', { documents });
  if (failure !== null) return t('search.index.failed', { documents, reason: failure.sentence });
  const id: TextId = waiting === 0 ? 'search.index.complete' : 'search.index.partial';
  return t(id, { documents, vectors, waiting, model: memory.model ?? embeddings });
}

/** `3`, `100+`, or a dash where nothing was found. */
export function hitCountText(answer: SearchResponse | undefined, most: number): string {
  if (answer === undefined) return '';
  if (!answer.sure || answer.hits.length === 0) return '–';
  const count = answer.hits.length;
  return count === most ? t('common.count.over', { max: most }) : groupDigits(count);
}

/** The filter by sender and chat. */
export function whoFilterText(person: string | undefined, chat: string | undefined): string {
  if (person === undefined)
    return chat === undefined ? t('search.filter.who.any') : t('search.filter.who.chat', { chat });
  const sender = senderName(person);
  return chat === undefined
    ? t('search.filter.who.person', { person: sender })
    : t('search.filter.who.both', { person: sender, chat });
}

/** The filter by date. */
export function whenFilterText(from: string | undefined, to: string | undefined): string {
  if (from === undefined)
    return to === undefined ? t('search.filter.when.any') : t('search.filter.when.to', { to });
  return to === undefined
    ? t('search.filter.when.from', { from })
    : t('search.filter.when.both', { from, to });
}

// The API calls the owner `me`, in every language.

export const senderName = (sender: string): string =>
  sender === 'me' ? t('search.filter.person.me') : sender;

export const senderFromName = (name: string): string =>
  name === t('search.filter.person.me') ? 'me' : name;
