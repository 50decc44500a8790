// Somebody among the contacts, found by name or number as it is typed.
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phoneNumber } from '../../parts/numbers.ts';
import { peopleQuery } from './queries.ts';

interface PersonSelectProps {
  /** A contact's id. */
  readonly value: string | undefined;
  onPerson(id: string | undefined): void;
}

export function PersonSelect({ value, onPerson }: PersonSelectProps) {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed, 200);
  const { data: found } = useQuery(peopleQuery(asked));
  const { data: chosen } = useQuery({ ...peopleQuery(value ?? ''), enabled: value !== undefined });
  const people = new Map(
    [...(chosen?.contacts ?? []), ...(found?.contacts ?? [])].map((one) => [one.id, one]),
  );
  return (
    <Select
      aria-label="With whom"
      placeholder="Anybody"
      searchable
      clearable
      nothingFoundMessage="Nobody by that name."
      data={[...people.values()].map(({ id, name, phone_number: digits }) => ({
        value: id,
        label: name ?? (digits === null ? 'Somebody unnamed' : phoneNumber(digits)),
      }))}
      // The daemon has found them already, by more than their name.
      filter={({ options }) => options}
      value={value ?? null}
      onChange={(id) => onPerson(id ?? undefined)}
      onSearchChange={setTyped}
    />
  );
}
