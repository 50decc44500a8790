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
import { type TextId, t } from '../../i18n.ts';
import { contactLabel, formatMoment, formatPhoneNumber } from '../../parts/format.ts';
import { grantSummary, hasOpenGrant } from '../../parts/grant-copy.ts';
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

const COLUMNS: readonly TextId[] = [
  'people.column.name',
  'people.column.read',
  'people.column.reply',
  'people.column.mode',
  'people.column.start',
  'people.column.lastMessage',
];

export function GrantsList({ found, page, onPage, named }: GrantsListProps) {
  const now = useNow(30_000);
  return (
    <div className={classes.list}>
      {/* Each switch names its contact, so screen readers do not need the columns. */}
      <div className={classes.columns} aria-hidden>
        {COLUMNS.map((column) => (
          <span key={column}>{t(column)}</span>
        ))}
        <span />
      </div>
      <ul className={classes.rows} aria-label={t('people.grants.title')} onKeyDown={moveFocus}>
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
        of={t('people.grants.pages')}
        page={page}
        size={CONTACTS_PAGE_SIZE}
        total={found.total}
        onPage={onPage}
      />
    </div>
  );
}

/** Up and down move from a switch to the same one in the next row; Space toggles it. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const from = event.target instanceof Element ? event.target : null;
  const control = from?.closest('[data-control]')?.getAttribute('data-control');
  if (control === undefined || control === null || control === 'mode') return;
  let row = from?.closest('li') ?? null;
  while (row !== null) {
    const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
    row = next instanceof HTMLLIElement ? next : null;
    const to = row?.querySelector<HTMLElement>(
      `input[data-control=${control}]:enabled, button[data-control=${control}]:enabled`,
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

export function ContactGrantRow({ contact, now, named }: ContactGrantRowProps) {
  const [question, setQuestion] = useState<GrantQuestion | null>(null);
  const row = useRef<HTMLLIElement>(null);
  /** Selects the control that opened the confirmation. */
  const openedBy = useRef<string | null>(null);
  const isGone = useIsDaemonGone();
  const { allow, revoke, remove, isBusy } = useGrant(contact);
  const name = contactLabel(contact);
  const { grant, conversation } = contact;
  const canRead = grant?.can_read ?? false;
  const canReply = grant?.can_reply ?? false;
  const canInitiate = grant?.can_initiate ?? false;
  const mode = grant?.reply_mode ?? 'draft';

  const ask = (next: GrantQuestion, control: string) => {
    openedBy.current = control;
    setQuestion(next);
  };
  // Returns the focus to the control that opened the confirmation.
  useEffect(() => {
    if (question !== null || openedBy.current === null) return;
    row.current?.querySelector<HTMLElement>(openedBy.current)?.focus();
    openedBy.current = null;
  }, [question]);

  if (question !== null) {
    const { change, ...texts } = confirmationFor(question, name);
    return (
      <ConfirmRow
        {...texts}
        isDeletion={change === null}
        isBusy={isBusy}
        onConfirm={() => {
          const done = { onSuccess: () => setQuestion(null), onError: () => setQuestion(null) };
          if (change === null) remove.mutate(contact, done);
          else allow.mutate(change, done);
        }}
        onCancel={() => setQuestion(null)}
      />
    );
  }

  // A disabled switch would lose the focus; so it stays enabled while saving, and saves once. The others do not wait.
  const isSaving = (flags: GrantPatch) =>
    allow.isPending && Object.keys(flags).some((flag) => flag in (allow.variables ?? {}));
  const toggle = (flags: GrantPatch, isOn: boolean, revokedText: string) => {
    if (isOn) void revoke(flags, revokedText);
    else if (!isSaving(flags)) allow.mutate(flags);
  };
  return (
    <li className={classes.row} ref={row} aria-busy={isBusy}>
      <div className={classes.who}>
        <Initials name={contact.name} />
        <div>
          <p className={classes.name}>
            {named === undefined ? <b dir="auto">{name}</b> : named(name)}
            {contact.kind === 'group' && <span className="dim small">{t('people.row.group')}</span>}
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
            <InConversation conversation={conversation} isOnlyAccess={!hasOpenGrant(contact)} />
          )}
        </div>
      </div>
      <Switch
        data-control="read"
        label={t('people.column.read')}
        aria-label={t('people.row.read', { name })}
        checked={canRead}
        disabled={isGone}
        onChange={() => toggle({ canRead: !canRead }, canRead, t('people.revoked.read', { name }))}
      />
      <Switch
        data-control="reply"
        label={t('people.column.reply')}
        aria-label={t('people.row.reply', { name })}
        checked={canReply}
        disabled={isGone || (!canRead && !canReply)}
        title={canRead ? undefined : t('people.row.readFirst')}
        onChange={() => {
          if (!canReply && mode === 'auto') ask('reply', '[data-control=reply]');
          else toggle({ canReply: !canReply }, canReply, t('people.revoked.reply', { name }));
        }}
      />
      <div className={classes.mode}>
        {canReply ? (
          <SegmentedControl
            data-control="mode"
            size="xs"
            aria-label={t('people.row.mode', { name })}
            value={mode}
            disabled={isGone}
            onChange={(next) => {
              if (next === 'auto') ask('auto', '[data-control=mode] input:checked');
              else void revoke({ replyMode: 'draft' }, t('people.revoked.auto', { name }));
            }}
            data={[
              { value: 'draft', label: t('people.row.draft') },
              { value: 'auto', label: t('people.row.auto') },
            ]}
          />
        ) : (
          <span className="dim" aria-hidden>
            –
          </span>
        )}
      </div>
      <Switch
        data-control="start"
        label={t('people.column.start')}
        aria-label={t('people.row.start', { name })}
        checked={canInitiate}
        disabled={isGone || contact.kind === 'group'}
        onChange={() => {
          if (canInitiate) void revoke({ canInitiate: false }, t('people.revoked.start', { name }));
          else ask('start', '[data-control=start]');
        }}
      />
      <span className={classes.last}>
        {contact.last_message_at !== null && (
          <>
            <span className="unseen">{t('people.column.lastMessage')} </span>
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
          data-control="delete"
          aria-label={t('people.row.delete', { name })}
          onClick={() => ask('delete', '[data-control=delete]')}
          disabled={isGone}
        >
          <IconTrash size={17} stroke={1.6} />
        </ActionIcon>
      )}
    </li>
  );
}

interface InConversationProps {
  readonly conversation: NonNullable<ListedContact['conversation']>;
  /** Whether the contact has no grant besides the conversation. */
  readonly isOnlyAccess: boolean;
}

function InConversation({ conversation, isOnlyAccess }: InConversationProps) {
  return (
    <p className={classes.inConversation}>
      <IconTargetArrow size={14} stroke={1.8} aria-hidden />
      <Link to="/conversations/$id" params={{ id: conversation.id }} dir="auto">
        {conversation.objective}
      </Link>
      <span className="dim">
        {t(isOnlyAccess ? 'common.grant.conversationOnly' : 'people.row.conversation')}
      </span>
    </p>
  );
}

// A confirmation in place of a row, before a wide grant or a deletion. Cancel has the focus.

interface ConfirmRowProps extends Omit<GrantConfirmation, 'change'> {
  readonly isDeletion: boolean;
  readonly isBusy: boolean;
  onConfirm(): void;
  onCancel(): void;
}

function ConfirmRow({
  title,
  explanation,
  confirmLabel,
  cancelLabel,
  isDeletion,
  isBusy,
  onConfirm,
  onCancel,
}: ConfirmRowProps) {
  const id = useId();
  const isGone = useIsDaemonGone();
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => cancel.current?.focus(), []);
  return (
    <li>
      <div
        className={classes.asking}
        role="alertdialog"
        aria-labelledby={id}
        aria-describedby={`${id}-explanation`}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onCancel();
        }}
      >
        <div>
          <b id={id} dir="auto">
            {title}
          </b>
          <p id={`${id}-explanation`} className="small dim" dir="auto">
            {explanation}
          </p>
        </div>
        <Button
          size="xs"
          {...(isDeletion ? { color: 'red' } : {})}
          disabled={isGone}
          loading={isBusy}
          onClick={onConfirm}
        >
          {confirmLabel}
        </Button>
        <Button ref={cancel} variant="default" size="xs" onClick={onCancel}>
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
      aria-label={t('people.find.label')}
      placeholder={t('people.find.placeholder')}
      leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        find(currentTarget.value);
      }}
    />
  );
}
