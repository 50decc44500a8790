// What narrows a search: who said it, where, and when. Each is a part of the address; what the daemon does not know by
// that name it says, in place of the results.
import { Autocomplete, Button, Popover, TextInput } from '@mantine/core';
import { IconCalendar, IconUserSearch, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { namesQuery } from '../../data/queries.ts';
import { isNarrowed, type SearchAddress, UNNARROWED } from './address.ts';
import classes from './search.module.css';

interface FiltersProps {
  readonly address: SearchAddress;
  onChange(by: Partial<SearchAddress>): void;
}

export function Filters({ address, onChange }: FiltersProps) {
  const { person, chat, from, to } = address;
  const where = [person && `from ${person}`, chat && `in ${chat}`].filter(Boolean).join(', ');
  return (
    <div className={classes.filters}>
      <Narrow icon={<IconUserSearch size={16} />} label={where || 'Anyone, anywhere'}>
        <Named
          label="Said by"
          value={person}
          first="me"
          onPick={(name) => onChange({ person: name })}
        />
        <Named label="In the chat with" value={chat} onPick={(name) => onChange({ chat: name })} />
      </Narrow>
      <Narrow icon={<IconCalendar size={16} />} label={whenWords(from, to)}>
        <Day label="From" value={from} onPick={(day) => onChange({ from: day })} />
        <Day label="Until" value={to} onPick={(day) => onChange({ to: day })} />
      </Narrow>
      {isNarrowed(address) && (
        <Button
          variant="subtle"
          leftSection={<IconX size={15} aria-hidden />}
          onClick={() => onChange(UNNARROWED)}
        >
          Take filters away
        </Button>
      )}
    </div>
  );
}

function whenWords(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return to === undefined ? 'Any time' : `until ${to}`;
  return to === undefined ? `since ${from}` : `${from} to ${to}`;
}

interface NarrowProps {
  readonly icon: ReactNode;
  readonly label: string;
  readonly children: ReactNode;
}

function Narrow({ icon, label, children }: NarrowProps) {
  return (
    <Popover position="bottom-start" trapFocus returnFocus withinPortal shadow="none">
      <Popover.Target>
        <Button variant="default" leftSection={icon} classNames={{ label: classes.cut ?? '' }}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.narrow}>{children}</Popover.Dropdown>
    </Popover>
  );
}

interface PickProps {
  readonly label: string;
  readonly value: string | undefined;
  onPick(value: string | undefined): void;
}

function Named({ label, value, first, onPick }: PickProps & { readonly first?: string }) {
  const { data } = useQuery(namesQuery);
  const [typed, setTyped] = useState(value ?? '');
  const names = data?.contacts.flatMap(({ name }) => (name === null ? [] : [name])) ?? [];
  const pick = (name: string) => onPick(name.trim() === '' ? undefined : name.trim());
  return (
    <Autocomplete
      label={label}
      placeholder="Anyone"
      data={[...new Set([...(first === undefined ? [] : [first]), ...names])]}
      limit={8}
      maxLength={128}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={pick}
      onBlur={() => pick(typed)}
      onKeyDown={({ key }) => key === 'Enter' && pick(typed)}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

const Day = ({ label, value, onPick }: PickProps) => (
  <TextInput
    label={label}
    type="date"
    value={value ?? ''}
    onChange={({ currentTarget }) =>
      onPick(currentTarget.value === '' ? undefined : currentTarget.value)
    }
  />
);
