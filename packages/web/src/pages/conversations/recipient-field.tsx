// With whom: somebody among the contacts by name or number, or a number that nobody is known by. Once chosen, what
// that means is said below.
import { Button, Combobox, Input, InputBase, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { FoundContacts, ListedContact } from '@relay/core/api/contacts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Initials } from '../../parts/initials.tsx';
import { phoneNumber } from '../../parts/numbers.ts';
import type { Recipient } from './draft.ts';
import classes from './new-conversation.module.css';
import { peopleQuery } from './queries.ts';
import { RecipientNotes } from './recipient-notes.tsx';
import { calledOf } from './recipient-words.ts';

interface RecipientFieldProps {
  readonly value: Recipient | null;
  readonly error: string | undefined;
  onChange(recipient: Recipient | null): void;
}

export function RecipientField({ value, error, onChange }: RecipientFieldProps) {
  if (value === null) return <Search error={error} onChosen={onChange} />;
  return (
    <Input.Wrapper label="With" labelElement="div" error={error}>
      <div className={classes.chosen}>
        <Initials name={value.name} />
        <span>
          <b dir="auto">{calledOf(value)}</b>
          {value.name !== null && <span className="dim num small">{phoneNumber(value.phone)}</span>}
        </span>
        <Button variant="default" size="xs" onClick={() => onChange(null)}>
          Change
        </Button>
      </div>
      <RecipientNotes recipient={value} />
    </Input.Wrapper>
  );
}

interface SearchProps {
  readonly error: string | undefined;
  onChosen(recipient: Recipient): void;
}

function Search({ error, onChosen }: SearchProps) {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed, 150);
  const { data: found } = useQuery(peopleQuery(asked));
  const combobox = useCombobox({
    onDropdownClose: () => combobox.resetSelectedOption(),
    onDropdownOpen: () => combobox.updateSelectedOptionIndex('active'),
  });
  const choices = choicesOf(found);
  const choose = (phone: string) => {
    const choice = choices.find((one) => one.phone === phone);
    if (choice) onChosen(choice);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.Target>
        <InputBase
          label="With"
          description="A name or a number. Without a country, yours is meant."
          placeholder="Dana, or +49 170 1234567"
          value={typed}
          error={error}
          autoComplete="off"
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
          onFocus={() => combobox.openDropdown()}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label="People" mah={260} className={classes.people ?? ''}>
          {choices.map((choice) => (
            <Combobox.Option value={choice.phone} key={choice.phone}>
              <Choice choice={choice} />
            </Combobox.Option>
          ))}
          {found && choices.length === 0 && (
            <Combobox.Empty>Nobody by that name. Give a number with its country.</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function Choice({ choice: { id, name, phone } }: { readonly choice: Recipient }) {
  const unnamed = id === null ? 'A new number' : 'No name is known';
  return (
    <span className={classes.choice}>
      <Initials name={name} />
      <span>
        <b dir="auto">{name ?? phoneNumber(phone)}</b>
        <span className="dim num small">{name === null ? unnamed : phoneNumber(phone)}</span>
      </span>
    </span>
  );
}

/** Whoever has a number, and the number that was typed if nobody has it. */
function choicesOf(found: FoundContacts | undefined): readonly Recipient[] {
  if (found === undefined) return [];
  const known = found.contacts.flatMap(asRecipient);
  const { number } = found;
  const isKnown = number === null || known.some(({ phone }) => phone === number);
  return isKnown ? known : [...known, { id: null, name: null, phone: number }];
}

const asRecipient = ({ id, name, phone_number: phone }: ListedContact): Recipient[] =>
  phone === null ? [] : [{ id, name, phone }];
