// Texts of the search page: the summary, how a result was found, and the progress of the index. Pure.
import type { MemoryStatus } from '@relay/contract/api/memory';
import type { FoundMessage, SearchResponse } from '@relay/contract/api/search';
import { groupDigits, plural } from '../../parts/format.ts';
import type { SearchKind } from '../../search-params.ts';

const SMALL = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const inWords = (n: number): string => SMALL[n] ?? groupDigits(n);

/** `who` is null for the owner. */
export function foundSentence({ sure, hits }: SearchResponse, most: number, who: string | null) {
  const n = hits.length;
  const finds = who === null ? 'Found' : `${who} finds it`;
  if (n === 0) return who === null ? 'Nothing was found.' : `${who} finds nothing.`;
  if (!sure)
    return `${who === null ? 'Nothing was found' : `${who} finds nothing`} that is about this.`;
  return n === most
    ? `${finds} in ${n} places or more.`
    : `${finds} in ${inWords(n)} ${n === 1 ? 'place' : 'places'}.`;
}

export const howFoundText = ({ by }: Pick<FoundMessage, 'by'>): string =>
  by === 'words' ? 'found by words' : 'found by meaning';

export const SEARCH_KIND_LABELS: Readonly<Record<SearchKind, string>> = {
  message: 'Messages',
  digest: 'Digests',
  fact: 'Facts',
};

export const sourceWord = ({ source, is_group }: Pick<FoundMessage, 'source' | 'is_group'>) => {
  if (source === 'digest') return 'Digest';
  if (source === 'fact') return 'Fact from a digest';
  return is_group ? 'Group' : 'Direct chat';
};

export const questionTooLong = (length: number, most: number): string =>
  `A search takes ${most} characters; this has ${groupDigits(length)}. Leave out what matters least.`;

/** One line about what is searched and how. */
export function searchIndexLine(memory: MemoryStatus): string {
  const { embeddings, documents, vectors, waiting, model, failure } = memory;
  if (documents === 0) return 'Nothing is kept yet that could be found.';
  const texts = plural(documents, 'text');
  if (embeddings === 'off') return `${texts}, found by their words. Finding by meaning is off.`;
  if (failure !== null) return `${texts}, found by their words meanwhile. ${failure.sentence}`;
  const by = `found by words and by meaning (${model ?? embeddings})`;
  if (waiting === 0) return `${texts}, ${by}.`;
  return `${texts}, ${by}; ${groupDigits(vectors)} read by it so far, ${plural(waiting, 'waits', 'wait')}.`;
}

/** `3`, `100+`, or a dash where nothing was found. */
export function hitCountText(answer: SearchResponse | undefined, most: number): string {
  if (answer === undefined) return '';
  if (!answer.sure || answer.hits.length === 0) return '–';
  return answer.hits.length === most ? `${most}+` : String(answer.hits.length);
}
