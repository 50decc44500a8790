// One question to Brave's search API. What comes back is read strictly and cut; whatever goes wrong is a
// sentence for the model, without the key and without a word of the answer.
import { z } from 'zod';
import type { Egress } from '../../egress/egress.ts';
import { EgressError } from '../../egress/error.ts';

export interface Found {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

interface Question {
  readonly baseUrl: string;
  readonly key: string;
  readonly query: string;
  readonly count: number;
  readonly signal: AbortSignal;
}

const MOST_BYTES = 512 * 1024;
const MOST_TITLE = 200;
const MOST_URL = 500;
const MOST_TEXT = 600;

const Hit = z.looseObject({
  title: z.string(),
  url: z.url({ protocol: /^https?$/ }).max(MOST_URL),
  description: z.string().nullish(),
});
const Answer = z.looseObject({
  web: z.looseObject({ results: z.array(z.unknown()) }).nullish(),
});

export async function askBrave(
  egress: Egress,
  { baseUrl, key, query, count, signal }: Question,
): Promise<{ results: readonly Found[] } | { error: string }> {
  const url = new URL(baseUrl);
  url.search = new URLSearchParams({
    q: query,
    count: String(count),
    text_decorations: '0',
  }).toString();
  try {
    const headers = { accept: 'application/json', 'x-subscription-token': key };
    const { status, body } = await egress(url.href, { headers, mostBytes: MOST_BYTES, signal });
    if (status !== 200) return { error: refused(status) };
    const answer = Answer.parse(JSON.parse(Buffer.from(body).toString('utf8')));
    return { results: (answer.web?.results ?? []).flatMap(found).slice(0, count) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressError) return { error: `The web search failed: ${error.message}.` };
    return { error: 'The web search answered something that cannot be read.' };
  }
}

function refused(status: number): string {
  if (status === 401 || status === 403 || status === 422)
    return 'The web search refused its key. Your owner can give another with `relay init --brave-key`.';
  if (status === 429) return 'The web search allows no more questions for now. Try it later.';
  return `The web search failed with status ${status}.`;
}

/** A hit of another shape is left out; the others count. */
function found(hit: unknown): Found[] {
  const { success, data } = Hit.safeParse(hit);
  if (!success) return [];
  const { title, url, description } = data;
  return [{ title: plain(title, MOST_TITLE), url, text: plain(description ?? '', MOST_TEXT) }];
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
  nbsp: ' ',
};

/** As a person would read it: without tags, on one line, cut. */
function plain(text: string, most: number): string {
  const read = text
    .replace(/<\/?[a-z][^>]{0,200}>/gi, '')
    .replace(/&([a-z]+|#x?[\da-f]+);/gi, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
  return read.length > most ? `${read.slice(0, most - 1).toWellFormed()}…` : read;
}
