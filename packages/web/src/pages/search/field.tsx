// The field of Search: what is typed becomes the address a moment after the last key, at once with Enter.
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { LONGEST_QUESTION } from '@relay/core/search/asked';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import classes from './search.module.css';
import { tooLong } from './words.ts';

const AFTER_MS = 250;

interface FieldProps {
  readonly q: string;
  onAsk(q: string): void;
}

export function Field({ q, onAsk }: FieldProps) {
  const [typed, setTyped] = useState(q);
  const asked = useRef(q);
  const field = useRef<HTMLInputElement>(null);
  const later = useDebouncedCallback(ask, AFTER_MS);
  function ask(text: string) {
    asked.current = text;
    onAsk(text);
  }
  // Back, or an example: the address changed without the field.
  useEffect(() => {
    if (q === asked.current) return;
    asked.current = q;
    setTyped(q);
  }, [q]);
  useKeys({ '/': () => field.current?.select() }, 'To the search field');
  const type = (text: string) => {
    setTyped(text);
    later(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') ask(typed);
    if (event.key === 'Escape' && typed !== '') type('');
  };
  return (
    <TextInput
      ref={field}
      classNames={{ input: classes.field ?? '' }}
      type="search"
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={onKeyDown}
      aria-label="Search messages, digests and facts"
      placeholder="Words, “a phrase”, a name, a day"
      leftSection={<IconSearch size={20} stroke={1.7} aria-hidden />}
      leftSectionWidth={48}
      rightSection={<KeyHint>/</KeyHint>}
      aria-keyshortcuts="/"
      rightSectionPointerEvents="none"
      error={typed.length > LONGEST_QUESTION ? tooLong(typed.length, LONGEST_QUESTION) : undefined}
      autoComplete="off"
      enterKeyHint="search"
    />
  );
}
