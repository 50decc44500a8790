// What the palette finds by name: people and conversations, asked of the daemon once somebody has typed. Loaded with
// the palette.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { key } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { named } from '../parts/numbers.ts';

const SHORTEST = 2;
const MOST = 5;

export interface Found {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Where it leads. */
  readonly href: string;
}

export function useFound(typed: string): {
  readonly people: readonly Found[];
  readonly conversations: readonly Found[];
} {
  const [words] = useDebouncedValue(typed.trim(), 150);
  const enabled = words.length >= SHORTEST;
  const people = useQuery({
    queryKey: key('contacts', 'named', words),
    queryFn: ({ signal }) =>
      relay.get('/api/contacts', { signal, query: { query: words, kind: 'person', limit: MOST } }),
    placeholderData: keepPreviousData,
    enabled,
  });
  const conversations = useQuery({
    queryKey: key('instances', 'named', words),
    queryFn: ({ signal }) => relay.get('/api/instances', { signal, query: { words, limit: MOST } }),
    placeholderData: keepPreviousData,
    enabled,
  });
  if (!enabled) return { people: [], conversations: [] };
  return {
    people: (people.data?.contacts ?? []).map(({ id, name, phone_number, jid }) => {
      const address = phone_number === null ? (jid ?? '') : named(phone_number);
      return {
        id,
        label: name ?? address,
        description: name === null ? 'A person' : address,
        href: `/people?who=${encodeURIComponent(id)}`,
      };
    }),
    conversations: (conversations.data ?? []).map(
      ({ id, objective, contact_name, target_contact }) => ({
        id,
        label: objective,
        description: `A conversation with ${contact_name ?? named(target_contact)}`,
        href: `/conversations/${encodeURIComponent(id)}`,
      }),
    ),
  };
}
