// Chooses a contact by name or number, or an unknown number.
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ListedContact } from '@relay/contract/api/contacts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { nounKey } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { t } from '../i18n.ts';
import { contactLabel, formatPhoneNumber } from './format.ts';

/** A known contact, an unknown number, or the owner's own chat. */
export type ContactChoice =
  | { readonly is: 'contact'; readonly contact: ListedContact }
  | { readonly is: 'number'; readonly digits: string }
  | { readonly is: 'me' };

interface ContactFieldProps {
  readonly value: ContactChoice | null;
  onChoose(choice: ContactChoice | null): void;
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
      placeholder={t('common.contact.placeholder')}
      nothingFoundMessage={t('common.contact.notFound')}
      data={[...known].map(([id, choice]) => ({ value: id, label: choiceLabel(choice) }))}
      // The daemon has already filtered.
      filter={({ options }) => options}
      value={value === null ? null : choiceId(value)}
      onChange={(id) => onChoose((id !== null && known.get(id)) || null)}
      searchValue={typed}
      onSearchChange={setTyped}
      clearButtonProps={{ 'aria-label': t('common.action.clear') }}
    />
  );
}

const choiceId = (choice: ContactChoice): string => {
  if (choice.is === 'me') return 'me';
  return choice.is === 'number' ? `+${choice.digits}` : choice.contact.id;
};

/** As the API takes a recipient. */
export const choiceAddress = choiceId;

function choiceLabel(choice: ContactChoice): string {
  if (choice.is === 'me') return t('common.contact.self');
  if (choice.is === 'number') return formatPhoneNumber(choice.digits);
  const { contact } = choice;
  const name = contactLabel(contact);
  const detail = contactDetail(contact);
  return detail === null || detail === name ? name : `${name} · ${detail}`;
}

function contactDetail({ kind, phone_number: digits }: ListedContact): string | null {
  if (kind === 'group') return t('common.contact.group');
  return digits === null ? null : formatPhoneNumber(digits);
}
