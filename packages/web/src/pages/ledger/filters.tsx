// What of the ledger is shown: by outcome, by who decided, by what, by how long ago, and about whom. Each is a part of
// the address. A message's own story is found by its id.
import { Button, CloseButton, Select, TextInput } from '@mantine/core';
import { actorWords } from '@relay/core/ledger/actor-words';
import { actionWords } from '@relay/core/ledger/line';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import classes from './ledger.module.css';
import { type LedgerSearch, OUTCOMES, SINCE } from './search.ts';
import { capital, shortId } from './words.ts';

const ACTORS = [
  ...['owner', 'router', 'auto_reply', 'assistant', 'conversation', 'token'],
  ...['scheduler', 'observer', 'recheck', 'relay', 'notifier'],
];
const ACTOR_WORDS: Readonly<Record<string, string>> = {
  conversation: 'Conversations',
  token: 'Programs',
  notifier: 'Relay’s notices',
};
const ACTIONS = [
  ...['route_message', 'answer_message', 'send_message', 'stop_message', 'schedule_message'],
  ...['create_conversation', 'manage_grant', 'answer_approval', 'set_hold', 'cancel_schedule'],
  ...['observe_group', 'merge_contacts', 'forget', 'enforce_retention'],
];

const choices = (words: Readonly<Record<string, { readonly word: string }>>) =>
  Object.entries(words).map(([value, { word }]) => ({ value, label: word }));

const OUTCOME_CHOICES = choices(OUTCOMES);
const SINCE_CHOICES = choices(SINCE);
const ACTOR_CHOICES = ACTORS.map((value) => ({
  value,
  label: ACTOR_WORDS[value] ?? capital(actorWords(value, null)),
}));
const ACTION_CHOICES = ACTIONS.map((value) => ({ value, label: capital(actionWords(value)) }));

type Name = 'outcome' | 'actor' | 'action' | 'since';

export function Filters({ search }: { readonly search: LedgerSearch }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const set = (changed: { readonly [name: string]: string | null }) => {
    const all = Object.entries({ ...search, ...changed });
    const kept = all.filter(
      ([name, value]) => value !== null && name !== 'message' && name !== 'chat',
    );
    void navigate({ to: '/ledger', search: Object.fromEntries(kept), replace: true });
  };
  const select = (name: Name, label: string, data: readonly Choice[]) => (
    <Select
      className={classes.choice ?? ''}
      aria-label={label}
      placeholder={label}
      data={withOwn(data, search[name])}
      value={search[name] ?? null}
      onChange={(value) => set({ [name]: value })}
      clearable
      checkIconPosition="right"
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
  const chosen = [search.outcome, search.actor, search.action, search.since].filter(
    (value) => value !== undefined,
  ).length;
  return (
    <div className={classes.filters} data-open={isOpen || undefined}>
      <Button
        variant="default"
        className={classes.more ?? ''}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {chosen === 0 ? 'Filter' : `Filter (${chosen})`}
      </Button>
      {select('outcome', 'Any outcome', OUTCOME_CHOICES)}
      {select('actor', 'Anybody', ACTOR_CHOICES)}
      {select('action', 'Anything', ACTION_CHOICES)}
      {select('since', 'Any time', SINCE_CHOICES)}
      <FindMessage />
      {search.subject !== undefined && (
        <span className={classes.about}>
          About {shortId(search.subject)}
          <CloseButton
            size="sm"
            aria-label="About anything"
            onClick={() => set({ subject: null })}
          />
        </span>
      )}
    </div>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A link may ask for one conversation, or for what a newer daemon knows. */
const withOwn = (data: readonly Choice[], value: string | undefined): Choice[] =>
  value === undefined || data.some((choice) => choice.value === value)
    ? [...data]
    : [...data, { value, label: value.replaceAll('_', ' ') }];

function FindMessage() {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim() !== '') void navigate({ to: '/ledger', search: { message: id.trim() } });
  };
  return (
    <form onSubmit={find} className={classes.find}>
      <TextInput
        aria-label="Why was this message treated as it was? Its id"
        placeholder="Id of a message"
        leftSection={<IconSearch size={16} />}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        maxLength={128}
      />
    </form>
  );
}
