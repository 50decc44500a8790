// Looks for somebody by name or number while it is typed; asks the daemon when the typing rests.
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

interface FindProps {
  readonly value: string;
  onFind(text: string): void;
}

export function Find({ value, onFind }: FindProps) {
  const [text, setText] = useState(value);
  // Back and forward change the address, and the field with it.
  useEffect(() => setText(value), [value]);
  const find = useDebouncedCallback((next: string) => onFind(next.trim()), 250);
  return (
    <TextInput
      type="search"
      aria-label="Find somebody"
      placeholder="Name or number"
      leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        find(currentTarget.value);
      }}
    />
  );
}
