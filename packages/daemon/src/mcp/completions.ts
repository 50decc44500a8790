// Completions: what may stand in for an argument of a prompt or of an address. Names are those in the owner's
// records, of chats that the program may read; of the others there is none.
import type { CompleteRequestParams, Server } from '@modelcontextprotocol/server';
import { folded } from '@relay/core/contacts/find';
import { type Asking, answering } from './answering.ts';
import { PROMPTS } from './prompt-texts.ts';
import { listed, type Part } from './resources/listed.ts';
import { TEMPLATES } from './resources/uris.ts';
import type { ProgramWorld } from './world.ts';

const MOST_LOOKED_AT = 1_000;
const MOST_SHOWN = 50;

/** A prompt takes names, an address takes ids; either is found by both. */
interface Wanted {
  readonly part: Part;
  readonly as: 'name' | 'id';
}

/** What the arguments are called that mean something we have. */
const ARGUMENTS: Readonly<Record<string, Part>> = {
  chat: 'chat',
  who: 'chat',
  group: 'digests',
  id: 'transcript',
};

export function offerCompletions(
  server: Server,
  { world, hash }: { readonly world: ProgramWorld; readonly hash: string },
): void {
  server.registerCapabilities({ completions: {} });
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    answering(world, hash, async (asking) => {
      const wanted = wantedBy(ref, argument.name);
      const values = wanted === null ? [] : await fitting(asking, wanted, argument.value);
      return {
        completion: {
          values: values.slice(0, MOST_SHOWN),
          total: values.length,
          hasMore: values.length > MOST_SHOWN,
        },
      };
    }),
  );
}

function wantedBy(ref: CompleteRequestParams['ref'], argument: string): Wanted | null {
  const part = ARGUMENTS[argument];
  if (part === undefined) return null;
  if (ref.type === 'ref/resource') {
    const takes = TEMPLATES.some(({ uri }) => uri === ref.uri && uri.includes(`{${argument}}`));
    return takes ? { part, as: 'id' } : null;
  }
  const prompt = PROMPTS.find(({ name }) => name === ref.name);
  const takes = prompt?.arguments.some(({ name }) => name === argument) === true;
  return takes ? { part, as: 'name' } : null;
}

async function fitting(
  { world, program }: Asking,
  { part, as }: Wanted,
  typed: string,
): Promise<readonly string[]> {
  const start = folded(typed.slice(0, 128));
  const rows = await listed(world, program, { parts: [part], after: null, limit: MOST_LOOKED_AT });
  const named = new Map<string, number>();
  for (const { name } of rows) named.set(name, (named.get(name) ?? 0) + 1);
  return (
    rows
      .filter(({ name, shown }) => begins(folded(name), start) || shown.startsWith(start))
      // Where two share a name only the id says which is meant.
      .map(({ name, shown }) => (as === 'id' || (named.get(name) ?? 0) > 1 ? shown : name))
  );
}

/** The name or one of its words. */
const begins = (name: string, start: string): boolean =>
  name.startsWith(start) || name.includes(` ${start}`);
