// Chooses the recipient: a contact by name or number, or an unknown number. Below it are notes on the choice.
import { Button, Combobox, Input, InputBase, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { FoundContacts, ListedContact } from '@relay/contract/api/contacts';
import { isTerminal } from '@relay/contract/conversation/states';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { statusQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatPhoneNumber } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { describeRecipient, recipientName } from './copy.ts';
import type { DraftRecipient } from './draft.ts';
import classes from './new-conversation.module.css';
import { conversationsWithQuery, findPeopleQuery } from './queries.ts';

interface RecipientFieldProps {
  readonly value: DraftRecipient | null;
  readonly error: string | undefined;
  onChange(recipient: DraftRecipient | null): void;
}

export function RecipientField({ value, error, onChange }: RecipientFieldProps) {
  if (value === null) return <RecipientSearch error={error} onChosen={onChange} />;
  return (
    <Input.Wrapper label={t('conversations.form.contact')} labelElement="div" error={error}>
      <div className={classes.chosen}>
        <Initials name={value.name} />
        <span>
          <b dir="auto">{recipientName(value)}</b>
          {value.name !== null && (
            <span className="dim num small">{formatPhoneNumber(value.phone)}</span>
          )}
        </span>
        <Button variant="default" size="xs" onClick={() => onChange(null)}>
          {t('conversations.form.contact.change')}
        </Button>
      </div>
      <RecipientNotes recipient={value} />
    </Input.Wrapper>
  );
}

interface RecipientSearchProps {
  readonly error: string | undefined;
  onChosen(recipient: DraftRecipient): void;
}

function RecipientSearch({ error, onChosen }: RecipientSearchProps) {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed, 150);
  const { data: found } = useQuery(findPeopleQuery(asked));
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
          label={t('conversations.form.contact')}
          description={t('conversations.form.contact.description')}
          placeholder={t('conversations.form.contact.placeholder')}
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
        <Combobox.Options
          aria-label={t('conversations.form.contact.options')}
          mah={260}
          className={classes.people ?? ''}
        >
          {choices.map((choice) => (
            <Combobox.Option value={choice.phone} key={choice.phone}>
              <RecipientChoice choice={choice} />
            </Combobox.Option>
          ))}
          {found && choices.length === 0 && (
            <Combobox.Empty>{t('common.contact.notFound')}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function RecipientChoice({ choice: { id, name, phone } }: { readonly choice: DraftRecipient }) {
  const unnamed = t(
    id === null ? 'conversations.form.contact.newNumber' : 'conversations.form.contact.noName',
  );
  return (
    <span className={classes.choice}>
      <Initials name={name} />
      <span>
        <b dir="auto">{name ?? formatPhoneNumber(phone)}</b>
        <span className="dim num small">{name === null ? unnamed : formatPhoneNumber(phone)}</span>
      </span>
    </span>
  );
}

/** Contacts that have a number, and the typed number if no contact has it. */
function choicesOf(found: FoundContacts | undefined): readonly DraftRecipient[] {
  if (found === undefined) return [];
  const known = found.contacts.flatMap(asRecipient);
  const { number } = found;
  const isKnown = number === null || known.some(({ phone }) => phone === number);
  return isKnown ? known : [...known, { id: null, name: null, phone: number }];
}

const asRecipient = ({ id, name, phone_number: phone }: ListedContact): DraftRecipient[] =>
  phone === null ? [] : [{ id, name, phone }];

// Notes on the chosen contact, as far as the daemon knows.

function RecipientNotes({ recipient }: { readonly recipient: DraftRecipient }) {
  const now = useNow(30_000);
  const { data: status } = useQuery(statusQuery);
  const found = useQuery(findPeopleQuery(recipient.id ?? `+${recipient.phone}`));
  const contact = found.data?.contacts.find(
    ({ id, phone_number: phone }) => id === recipient.id || phone === recipient.phone,
  );
  const { data: open = [] } = useQuery({
    ...conversationsWithQuery(contact?.id ?? ''),
    enabled: contact !== undefined,
  });
  if (status === undefined || found.data === undefined) return null;
  const running = open.find(({ state }) => !isTerminal(state)) ?? null;
  const notes = describeRecipient({ recipient, contact: contact ?? null, running, status, now });
  return (
    <ul className={classes.notes} aria-label={t('conversations.form.contact.notes')}>
      {notes.map(({ hue, text }) => (
        <li key={text} data-hue={hue} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  );
}
