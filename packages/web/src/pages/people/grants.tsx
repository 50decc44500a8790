// People and groups with their grants: one page of rows, by name. Used on People and in the dialog of Tools; they
// differ only in where the search text is kept.

import { ActionIcon, Button, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { FoundContacts, ListedContact } from '@relay/contract/api/contacts';
import { IconSearch, IconTargetArrow, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { useNow } from '../../data/use-now.ts';
import { contactLabel, formatMoment, formatPhoneNumber } from '../../parts/format.ts';
import { grantSummary, hasOpenGrant, OPEN_IN_CONVERSATION_ONLY } from '../../parts/grant-copy.ts';
import { Initials } from '../../parts/initials.tsx';
import { Pager } from '../../parts/pager.tsx';
import { confirmationFor, type GrantConfirmation, type GrantQuestion } from './copy.ts';
import classes from './people.module.css';
import { CONTACTS_PAGE_SIZE } from './queries.ts';
import { type GrantPatch, useGrant } from './use-grant.tsx';

interface GrantsListProps {
  readonly found: FoundContacts;
  readonly page: number;
  onPage(page: number): void;
  readonly named?: (id: string) => (name: string) => ReactNode;
}

const COLUMNS = ['Person', 'Read', 'Reply', 'How', 'Start', 'Last message', ''];

export function GrantsList({ found, page, onPage, named }: GrantsListProps) {
  const now = useNow(30_000);
  return (
    <div className={classes.list}>
      {/* Each switch names its contact, so screen readers do not need the columns. */}
      <div className={classes.columns} aria-hidden>
        {COLUMNS.map((column) => (
          <span key={column}>{column}</span>
        ))}
      </div>
      <ul className={classes.rows} aria-label="Grants" onKeyDown={moveWithin}>
        {found.contacts.map((contact) => (
          <ContactGrantRow
            key={contact.id}
            contact={contact}
            now={now}
            {...(named === undefined ? {} : { named: named(contact.id) })}
          />
        ))}
      </ul>
      <Pager
        of="people and groups"
        page={page}
        size={CONTACTS_PAGE_SIZE}
        total={found.total}
        onPage={onPage}
      />
    </div>
  );
}

/** Up and down move from a switch to the same one in the next row; Space toggles it. */
function moveWithin(event: KeyboardEvent<HTMLUListElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const from = event.target instanceof Element ? event.target : null;
  const what = from?.closest('[data-what]')?.getAttribute('data-what');
  if (what === undefined || what === null || what === 'mode') return;
  let row = from?.closest('li') ?? null;
  while (row !== null) {
    const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
    row = next instanceof HTMLLIElement ? next : null;
    const to = row?.querySelector<HTMLElement>(
      `input[data-what=${what}]:enabled, button[data-what=${what}]:enabled`,
    );
    if (!to) continue;
    event.preventDefault();
    to.focus();
    return;
  }
}

// One person or group with its grants: a switch for each, saved separately, and a one-sentence summary. A grant that
// would send messages without asking is confirmed first, in place of the row.

interface ContactGrantRowProps {
  readonly contact: ListedContact;
  readonly now: number;
  /** Renders the name as a link to the details, where there are any. */
  readonly named?: (name: string) => ReactNode;
}

const NOT_READ = 'It cannot answer what it may not read.';

export function ContactGrantRow({ contact, now, named }: ContactGrantRowProps) {
  const [question, setQuestion] = useState<GrantQuestion | null>(null);
  const row = useRef<HTMLLIElement>(null);
  const asked = useRef<string | null>(null);
  const isGone = useIsDaemonGone();
  const { open, close, remove, isBusy } = useGrant(contact);
  const name = contactLabel(contact);
  const { grant, conversation } = contact;
  const canRead = grant?.can_read ?? false;
  const canReply = grant?.can_reply ?? false;
  const canInitiate = grant?.can_initiate ?? false;
  const mode = grant?.reply_mode ?? 'draft';

  const ask = (next: GrantQuestion, from: string) => {
    asked.current = from;
    setQuestion(next);
  };
  // Returns the focus to the control that opened the confirmation.
  useEffect(() => {
    if (question !== null || asked.current === null) return;
    row.current?.querySelector<HTMLElement>(asked.current)?.focus();
    asked.current = null;
  }, [question]);

  if (question !== null) {
    const { change, ...words } = confirmationFor(question, name);
    return (
      <ConfirmRow
        {...words}
        isBusy={isBusy}
        onYes={() => {
          const done = { onSuccess: () => setQuestion(null), onError: () => setQuestion(null) };
          if (change === null) remove.mutate(contact, done);
          else open.mutate(change, done);
        }}
        onNo={() => setQuestion(null)}
      />
    );
  }

  // A disabled switch would lose the focus; so it stays enabled while saving, and saves once. The others do not wait.
  const isAsked = (flags: GrantPatch) =>
    open.isPending && Object.keys(flags).some((flag) => flag in (open.variables ?? {}));
  const toggle = (flags: GrantPatch, isOn: boolean, says: string) => {
    if (isOn) void close(flags, says);
    else if (!isAsked(flags)) open.mutate(flags);
  };
  return (
    <li className={classes.row} ref={row} aria-busy={isBusy}>
      <div className={classes.who}>
        <Initials name={contact.name} />
        <div>
          <p className={classes.name}>
            {named === undefined ? <b dir="auto">{name}</b> : named(name)}
            {contact.kind === 'group' && <span className="dim small">group</span>}
            {contact.kind === 'person' &&
              contact.name !== null &&
              contact.phone_number !== null && (
                <span className="dim small num">{formatPhoneNumber(contact.phone_number)}</span>
              )}
          </p>
          {conversation !== null && !hasOpenGrant(contact) ? null : (
            <p className="small dim" dir="auto">
              {grantSummary(contact, name)}
            </p>
          )}
          {conversation !== null && (
            <InsideConversation conversation={conversation} only={!hasOpenGrant(contact)} />
          )}
        </div>
      </div>
      <Switch
        data-what="read"
        label="Read"
        aria-label={`Agents may read ${name}`}
        checked={canRead}
        disabled={isGone}
        onChange={() => toggle({ canRead: !canRead }, canRead, `Relay no longer reads ${name}.`)}
      />
      <Switch
        data-what="reply"
        label="Reply"
        aria-label={`Relay may answer ${name}`}
        checked={canReply}
        disabled={isGone || (!canRead && !canReply)}
        title={canRead ? undefined : NOT_READ}
        onChange={() => {
          if (!canReply && mode === 'auto') ask('reply', '[data-what=reply]');
          else toggle({ canReply: !canReply }, canReply, `Relay no longer answers ${name}.`);
        }}
      />
      <div className={classes.how}>
        {canReply ? (
          <SegmentedControl
            data-what="mode"
            size="xs"
            aria-label={`How replies to ${name} leave`}
            value={mode}
            disabled={isGone}
            onChange={(next) => {
              if (next === 'auto') ask('auto', '[data-what=mode] input:checked');
              else void close({ replyMode: 'draft' }, `You send each reply to ${name} again.`);
            }}
            data={[
              { value: 'draft', label: 'Draft' },
              { value: 'auto', label: 'Auto' },
            ]}
          />
        ) : (
          <span className="dim" aria-hidden>
            –
          </span>
        )}
      </div>
      <Switch
        data-what="start"
        label="Start"
        aria-label={`Agents may write to ${name} first`}
        checked={canInitiate}
        disabled={isGone || contact.kind === 'group'}
        onChange={() => {
          if (canInitiate)
            void close({ canInitiate: false }, `Agents no longer write to ${name} first.`);
          else ask('start', '[data-what=start]');
        }}
      />
      <span className={classes.last}>
        {contact.last_message_at !== null && (
          <>
            <span className="unseen">Last message </span>
            <time dateTime={contact.last_message_at}>
              {formatMoment(contact.last_message_at, now)}
            </time>
          </>
        )}
      </span>
      {grant === null ? (
        <span />
      ) : (
        <ActionIcon
          data-what="delete"
          aria-label={`Delete ${name}`}
          onClick={() => ask('delete', '[data-what=delete]')}
          disabled={isGone}
        >
          <IconTrash size={17} stroke={1.6} />
        </ActionIcon>
      )}
    </li>
  );
}

interface InsideConversationProps {
  readonly conversation: NonNullable<ListedContact['conversation']>;
  /** True if the contact has no grant besides the conversation. */
  readonly only: boolean;
}

function InsideConversation({ conversation, only }: InsideConversationProps) {
  return (
    <p className={classes.inside}>
      <IconTargetArrow size={14} stroke={1.8} aria-hidden />
      <Link to="/conversations/$id" params={{ id: conversation.id }} dir="auto">
        {conversation.objective}
      </Link>
      <span className="dim">{only ? OPEN_IN_CONVERSATION_ONLY : 'is open with them now.'}</span>
    </p>
  );
}

// A confirmation in place of a row, before a wide grant or a deletion. Cancel has the focus.

interface ConfirmRowProps extends Omit<GrantConfirmation, 'change'> {
  readonly isBusy: boolean;
  onYes(): void;
  onNo(): void;
}

function ConfirmRow({
  title,
  explanation,
  confirmLabel,
  cancelLabel,
  isBusy,
  onYes,
  onNo,
}: ConfirmRowProps) {
  const id = useId();
  const isGone = useIsDaemonGone();
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <li>
      <div
        className={classes.asking}
        role="alertdialog"
        aria-labelledby={id}
        aria-describedby={`${id}-means`}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onNo();
        }}
      >
        <div>
          <b id={id} dir="auto">
            {title}
          </b>
          <p id={`${id}-means`} className="small dim" dir="auto">
            {explanation}
          </p>
        </div>
        <Button
          size="xs"
          {...(confirmLabel === 'Delete' ? { color: 'red' } : {})}
          disabled={isGone}
          loading={isBusy}
          onClick={onYes}
        >
          {confirmLabel}
        </Button>
        <Button ref={back} variant="default" size="xs" onClick={onNo}>
          {cancelLabel}
        </Button>
      </div>
    </li>
  );
}

// Searches by name or number; asks the daemon when typing pauses.

interface FindFieldProps {
  readonly value: string;
  onFind(text: string): void;
}

export function FindField({ value, onFind }: FindFieldProps) {
  const [text, setText] = useState(value);
  // Back and forward change the address, and the field follows.
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
