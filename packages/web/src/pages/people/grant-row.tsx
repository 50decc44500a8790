// One person or group with what is open for them: a switch for each, saved on its own, and the sum in one sentence.
// What would let messages leave without asking asks first, in place of the row.

import { ActionIcon, SegmentedControl, Switch } from '@mantine/core';
import type { ListedContact } from '@relay/core/api/contacts';
import { IconTargetArrow, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useIsGone } from '../../data/use-live.ts';
import { INSIDE_ONLY, isOpen, openSentence } from '../../parts/grant-words.ts';
import { Initials } from '../../parts/initials.tsx';
import { phoneNumber } from '../../parts/numbers.ts';
import { calledIn } from '../../parts/somebody.ts';
import { moment } from '../../parts/times.ts';
import { Asking } from './asking.tsx';
import { type Question, questionOf } from './asking-words.ts';
import classes from './people.module.css';
import { type Flags, useGrant } from './use-grant.ts';

interface GrantRowProps {
  readonly contact: ListedContact;
  readonly now: number;
  /** The name as it leads to the details, where there are any. */
  readonly named?: (name: string) => ReactNode;
}

const NOT_READ = 'It cannot answer what it may not read.';

export function GrantRow({ contact, now, named }: GrantRowProps) {
  const [question, setQuestion] = useState<Question | null>(null);
  const row = useRef<HTMLLIElement>(null);
  const asked = useRef<string | null>(null);
  const isGone = useIsGone();
  const { open, close, remove, isBusy } = useGrant(contact);
  const name = calledIn(contact);
  const { grant, conversation } = contact;
  const canRead = grant?.can_read ?? false;
  const canReply = grant?.can_reply ?? false;
  const canInitiate = grant?.can_initiate ?? false;
  const mode = grant?.reply_mode ?? 'draft';

  const ask = (next: Question, from: string) => {
    asked.current = from;
    setQuestion(next);
  };
  // The focus goes back to what asked.
  useEffect(() => {
    if (question !== null || asked.current === null) return;
    row.current?.querySelector<HTMLElement>(asked.current)?.focus();
    asked.current = null;
  }, [question]);

  if (question !== null) {
    const { flags, ...words } = questionOf(question, name);
    return (
      <Asking
        {...words}
        isBusy={isBusy}
        onYes={() => {
          const done = { onSuccess: () => setQuestion(null), onError: () => setQuestion(null) };
          if (flags === null) remove.mutate(contact, done);
          else open.mutate(flags, done);
        }}
        onNo={() => setQuestion(null)}
      />
    );
  }

  // A switch that goes off while it waits would lose the focus; so it stays on, and asks once. The others do not wait.
  const isAsked = (flags: Flags) =>
    open.isPending && Object.keys(flags).some((flag) => flag in (open.variables ?? {}));
  const toggle = (flags: Flags, isOn: boolean, says: string) => {
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
                <span className="dim small num">{phoneNumber(contact.phone_number)}</span>
              )}
          </p>
          {conversation !== null && !isOpen(contact) ? null : (
            <p className="small dim" dir="auto">
              {openSentence(contact, name)}
            </p>
          )}
          {conversation !== null && <Inside conversation={conversation} only={!isOpen(contact)} />}
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
            <time dateTime={contact.last_message_at}>{moment(contact.last_message_at, now)}</time>
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

interface InsideProps {
  readonly conversation: NonNullable<ListedContact['conversation']>;
  /** No grant opens them beside it. */
  readonly only: boolean;
}

function Inside({ conversation, only }: InsideProps) {
  return (
    <p className={classes.inside}>
      <IconTargetArrow size={14} stroke={1.8} aria-hidden />
      <Link to="/conversations/$id" params={{ id: conversation.id }} dir="auto">
        {conversation.objective}
      </Link>
      <span className="dim">{only ? INSIDE_ONLY : 'is open with them now.'}</span>
    </p>
  );
}
