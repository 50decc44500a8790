// A labelled set: a history, and queries with the messages that answer them, graded 1 to 3.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface SetMessage {
  readonly id: string;
  readonly chat: string;
  /** A name; `me` is the owner. */
  readonly sender: string;
  readonly ts: string;
  readonly text: string;
}

export interface SetChat {
  readonly id: string;
  readonly kind: 'direct' | 'group';
  readonly name: string;
}

export interface SetQuery {
  readonly id: string;
  readonly q: string;
  readonly kind: string;
  readonly lang: string;
  /** The time of the query: nothing later may be found. */
  readonly now: string;
  /** The chats that the asker may read; all if missing. */
  readonly scope?: readonly string[];
  readonly relevant: readonly { readonly id: string; readonly grade: number }[];
  /** Messages outside of the scope that would be good answers. */
  readonly forbidden?: readonly string[];
}

export interface RetrievalSet {
  readonly messages: readonly SetMessage[];
  readonly chats: readonly SetChat[];
  readonly queries: readonly SetQuery[];
}

export async function readSet(directory: string): Promise<RetrievalSet> {
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  const lines = async <T>(name: string): Promise<T[]> =>
    (await read(name))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  return {
    messages: await lines('messages.jsonl'),
    chats: JSON.parse(await read('chats.json')) as SetChat[],
    queries: await lines('queries.jsonl'),
  };
}
