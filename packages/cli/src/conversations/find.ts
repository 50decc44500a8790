// Which conversations are meant: by an id or its beginning, or all there are, page by page.
import type { ConversationInstance } from '@relay/core/api/instances';
import type { Client } from '@relay/core/client/client';
import type { InstanceState } from '@relay/core/conversation/states';
import { RelayError } from '@relay/core/errors';
import { phone, printable } from '../format.ts';

const WHOLE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BEGINNING = /^[0-9a-f][0-9a-f-]{3,35}$/;
const CANDIDATES = 5;
const PAGE = 500;

/** What people are shown and may type. */
export const shortId = (id: string): string => id.slice(0, 8);

export async function findId(client: Client, given: string | undefined): Promise<string> {
  const id = given?.trim().toLowerCase() ?? '';
  if (WHOLE.test(id)) return id;
  if (!BEGINNING.test(id)) {
    throw new RelayError('usage', {
      what: `"${printable(id)}" is no id. Give one, or its first 4 characters or more; \`relay list\` shows them.`,
    });
  }
  const query = { id_prefix: id, limit: CANDIDATES + 1 };
  const found = await client.get('/api/instances', { query });
  const [first, ...others] = found;
  if (first === undefined) throw new RelayError('conversation_unknown', { id });
  if (others.length === 0) return first.id;
  throw new RelayError('conversation_ambiguous', { id, candidates: candidates(found) });
}

function candidates(found: readonly ConversationInstance[]): string {
  const named = found
    .slice(0, CANDIDATES)
    .map(
      ({ id, target_contact, state }) => `${id} (${phone(printable(target_contact))}, ${state})`,
    );
  return [...named, ...(found.length > CANDIDATES ? ['…'] : [])].join(', ');
}

export async function everyInstance(
  client: Client,
  state?: InstanceState,
): Promise<ConversationInstance[]> {
  const found: ConversationInstance[] = [];
  for (;;) {
    const last = found.at(-1);
    const page = await client.get('/api/instances', {
      query: {
        limit: PAGE,
        ...(state === undefined ? {} : { state }),
        ...(last === undefined ? {} : { after: last.id }),
      },
    });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}
