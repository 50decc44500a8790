// Chooses a contact by name or number, or an unknown number.
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ListedContact } from '@relay/contract/api/contacts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { nounKey } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { contactLabel, formatPhoneNumber } from './format.ts';

/** A known contact, an unknown number, or the owner's own chat. */
export type ContactChoice =
  | { readonly is: 'contact'; readonly contact: ListedContact }
  | { readonly is: 'number'; readonly digits: string }
  | { readonly is: 'me' };

interface ContactFieldProps {
  readonly value: ContactChoice | null;
  onChoose(somebody: ContactChoice | null): void;
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  /** Whether the owner's own chat is offered. */
  readonly withMe?: boolean;
}

const findContactsQuery = (q: string) =>
  queryOptions({
    queryKey: nounKey('contacts', 'find', q),
    queryFn: ({ signal }) =>
      relay.get('/api/contacts', {
        signal,
        query: { limit: 8, ...(q === '' ? {} : { query: q }) },
      }),
    placeholderData: keepPreviousData,
  });

export function ContactField({ value, onChoose, withMe = false, ...field }: ContactFieldProps) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim().slice(0, 200), 200);
  const { data: found } = useQuery(
    findContactsQuery(value !== null && choiceLabel(value) === q ? '' : q),
  );
  const choices: ContactChoice[] = [
    ...(value === null ? [] : [value]),
    ...(withMe ? [{ is: 'me' } as const] : []),
    ...(found?.contacts ?? []).map((contact) => ({ is: 'contact', contact }) as const),
    ...(found?.number && found.meant === null
      ? [{ is: 'number', digits: found.number } as const]
      : []),
  ];
  const known = new Map(choices.map((choice) => [choiceId(choice), choice]));
  return (
    <Select
      {...field}
      data-autofocus
      // Opens on typing, a click or an arrow key, so that a form does not open with this list on top.
      openOnFocus={false}
      searchable
      clearable
      placeholder="Name or number"
      nothingFoundMessage="Nobody is known by that. Give a number with its country code."
      data={[...known].map(([id, choice]) => ({ value: id, label: choiceLabel(choice) }))}
      // The daemon has already filtered.
      filter={({ options }) => options}
      value={value === null ? null : choiceId(value)}
      onChange={(id) => onChoose((id !== null && known.get(id)) || null)}
      searchValue={typed}
      onSearchChange={setTyped}
      clearButtonProps={{ 'aria-label': 'Choose somebody else' }}
    />
  );
}

const choiceId = (somebody: ContactChoice): string => {
  if (somebody.is === 'me') return 'me';
  return somebody.is === 'number' ? `+${somebody.digits}` : somebody.contact.id;
};

/** As the API takes a recipient. */
export const choiceAddress = choiceId;

function choiceLabel(somebody: ContactChoice): string {
  if (somebody.is === 'me') return 'Yourself';
  if (somebody.is === 'number') return formatPhoneNumber(somebody.digits);
  const { contact } = somebody;
  const digits = contact.phone_number;
  const more =
    contact.kind === 'group' ? 'group' : digits === null ? null : formatPhoneNumber(digits);
  const name = contactLabel(contact);
  return more === null || more === name ? name : `${name} · ${more}`;
}
