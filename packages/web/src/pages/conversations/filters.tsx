// Which conversations the list shows: whose turn, which state, with whom, which words. All of it is in the address.
import { CloseButton, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { INSTANCE_STATES, type InstanceState } from '@relay/core/conversation/states';
import { TURNS, type Turn } from '@relay/core/conversation/turns';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { STATES_SHOWN } from '../../parts/state-badge.tsx';
import classes from './conversations.module.css';
import { PersonSelect } from './person-select.tsx';
import type { ConversationsSearch } from './search.ts';
import { TURNS_SHOWN } from './words.ts';

const TURN_CHOICES = TURNS.map((value) => ({ value, label: TURNS_SHOWN[value].title }));
const STATE_CHOICES = INSTANCE_STATES.map((value) => ({ value, label: STATES_SHOWN[value].word }));

export function Filters({ search }: { readonly search: ConversationsSearch }) {
  const navigate = useNavigate({ from: '/conversations' });
  const change = (by: ConversationsSearch) =>
    void navigate({ search: { ...search, ...by }, replace: true });
  return (
    <search className={classes.filterFields} aria-label="Filters">
      <Words
        value={search.words ?? ''}
        onWords={(words) => change({ words: words || undefined })}
      />
      <Select
        aria-label="Whose turn"
        placeholder="Any turn"
        clearable
        data={TURN_CHOICES}
        value={search.turn ?? null}
        onChange={(turn) => change({ turn: (turn ?? undefined) as Turn | undefined })}
      />
      <Select
        aria-label="State"
        placeholder="Any state"
        clearable
        data={STATE_CHOICES}
        value={search.state ?? null}
        onChange={(state) => change({ state: (state ?? undefined) as InstanceState | undefined })}
      />
      <PersonSelect value={search.person} onPerson={(person) => change({ person })} />
    </search>
  );
}

/** What is typed is looked for once the fingers rest. */
function Words({ value, onWords }: { readonly value: string; onWords(words: string): void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const look = useDebouncedCallback(onWords, 250);
  return (
    <TextInput
      type="search"
      aria-label="Words"
      placeholder="Objective, name or number"
      leftSection={<IconSearch size={16} stroke={1.7} />}
      value={typed}
      maxLength={200}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        look(currentTarget.value.trim());
      }}
      rightSection={
        typed !== '' && (
          <CloseButton
            size="sm"
            aria-label="Clear the words"
            onClick={() => {
              setTyped('');
              onWords('');
            }}
          />
        )
      }
    />
  );
}
