// The details of one person or group, beside the table; on a phone a separate page. Links to chats, conversations,
// decisions and clients, and at the end the button to forget them.
import { Button, Drawer, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ContactDetail, ListedContact } from '@relay/contract/api/contacts';
import { IconEraser } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { contactLabel, formatMoment, formatPhoneNumber } from '../../parts/format.ts';
import { Badge } from '../../parts/marks.tsx';
import { outcomeDisplay } from '../../parts/outcomes.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { clientAccessText, erasedText, isNameTyped } from './copy.ts';
import { ContactGrantRow } from './grants.tsx';
import shared from './people.module.css';
import classes from './person.module.css';
import { contactQuery, forgetQuery } from './queries.ts';

export function PersonDrawer({ id, onClose }: { readonly id: string; onClose(): void }) {
  const queries = useQueryClient();
  const [isErased, setErased] = useState(false);
  const detail = useQuery({ ...contactQuery(id), enabled: !isErased });
  const close = () => {
    onClose();
    if (isErased) void queries.invalidateQueries({ queryKey: ['contacts'] });
  };
  const isPhone = useMediaQuery('(max-width: 860px)');
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={isPhone ? '100%' : 520}
      title={
        <span dir="auto">
          {detail.data === undefined ? 'Details' : contactLabel(detail.data.contact)}
        </span>
      }
      closeButtonProps={{ 'aria-label': 'Close the details' }}
    >
      <QueryContent query={detail} subject="The details" loading={<LoadingLines lines={8} />}>
        {(data) => <Details detail={data} onErased={() => setErased(true)} onDone={close} />}
      </QueryContent>
    </Drawer>
  );
}

interface DetailsProps {
  readonly detail: ContactDetail;
  onErased(): void;
  onDone(): void;
}

function Details({ detail, onErased, onDone }: DetailsProps) {
  const now = useNow(30_000);
  const { contact, chats, conversations, tokens, ledger } = detail;
  return (
    <div className={classes.details}>
      <div className={`${shared.list} ${classes.grant}`}>
        <ul className={shared.rows}>
          <ContactGrantRow contact={contact} now={now} />
        </ul>
      </div>
      <Addresses detail={detail} />
      <DetailPart title="Chats" none="No chat with them yet.">
        {chats.map(({ id, kind, name, last_message_at: last }) => (
          <li key={id}>
            <Link to="/chats/$id" params={{ id }} dir="auto">
              {kind === 'direct' ? 'Their chat with you' : (name ?? 'A group without a name')}
            </Link>
            <span className="small dim num">{last === null ? '' : formatMoment(last, now)}</span>
          </li>
        ))}
      </DetailPart>
      <DetailPart title="Conversations" none="No conversation with them yet.">
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <Link to="/conversations/$id" params={{ id: conversation.id }} dir="auto">
              {conversation.objective}
            </Link>
            <StateBadge instance={conversation} />
          </li>
        ))}
      </DetailPart>
      <DetailPart title="Lately" none="Nothing was decided about them lately.">
        {ledger.map((line) => {
          const { word, hue, icon } = outcomeDisplay(line.outcome);
          return (
            <li key={line.seq} className={classes.line}>
              <Badge hue={hue} icon={icon}>
                {word}
              </Badge>
              <Link to="/ledger/$row" params={{ row: String(line.seq) }} className="small">
                <Sentence text={`${capital(line.what)}. ${line.sentence}`} />
              </Link>
              <span className="small dim num">{formatMoment(line.at, now)}</span>
            </li>
          );
        })}
      </DetailPart>
      <DetailPart
        title="Programs that may deal with them"
        none="No program has a token that reaches them."
      >
        {tokens.map(({ id, name, scopes, by_name: isNamed }) => (
          <li key={id} className={classes.program}>
            <span dir="auto">{name}</span>
            <p className="small dim">{clientAccessText(scopes, isNamed)}</p>
          </li>
        ))}
      </DetailPart>
      <ForgetSection contact={contact} onErased={onErased} onDone={onDone} />
    </div>
  );
}

function Addresses({
  detail: { contact, addresses, calls_itself: itself },
}: Pick<DetailsProps, 'detail'>) {
  const WORDS = { phone: 'Number', lid: 'Hidden id', group: 'Group address' } as const;
  return (
    <dl className={parts.facts}>
      {itself !== null && itself !== contact.name && (
        <>
          <dt>Calls itself</dt>
          <dd dir="auto">{itself}</dd>
        </>
      )}
      {addresses.map(({ kind, value }) => [
        <dt key={`${kind} ${value}`}>{WORDS[kind]}</dt>,
        <dd key={value} className="num">
          {kind === 'phone' ? formatPhoneNumber(value) : value}
        </dd>,
      ])}
    </dl>
  );
}

interface DetailPartProps {
  readonly title: string;
  readonly none: string;
  readonly children: readonly ReactNode[];
}

function DetailPart({ title, none, children }: DetailPartProps) {
  return (
    <section className={classes.part}>
      <h3>{title}</h3>
      {children.length === 0 ? (
        <p className="small dim">{none}</p>
      ) : (
        <ul className={classes.linked}>{children}</ul>
      )}
    </section>
  );
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

// Forgets a contact permanently: shows what would be erased, asks for the name as confirmation, then shows the receipt.

interface ForgetSectionProps {
  readonly contact: ListedContact;
  /** Called once their data no longer exists. */
  onErased(): void;
  onDone(): void;
}

function ForgetSection({ contact, ...callbacks }: ForgetSectionProps) {
  const [isAsking, setAsking] = useState(false);
  const name = contactLabel(contact);
  return (
    <section className={`${classes.part} ${classes.forget}`}>
      <h3>Forget</h3>
      {isAsking ? (
        <ForgetForm contact={contact} {...callbacks} onKeep={() => setAsking(false)} />
      ) : (
        <>
          <p className="small dim" dir="auto">
            Erases what {name} wrote, what was written to them and what was learnt from it, for
            good.
          </p>
          <Button variant="default" size="xs" onClick={() => setAsking(true)}>
            See what would be erased
          </Button>
        </>
      )}
    </section>
  );
}

function ForgetForm({
  contact,
  onErased,
  onDone,
  onKeep,
}: ForgetSectionProps & { onKeep(): void }) {
  const [typed, setTyped] = useState('');
  const isGone = useIsDaemonGone();
  const name = contactLabel(contact);
  const forget = useAction({
    run: () => relay.post('/api/forget', { body: { id: contact.id } }),
    invalidates: ['whatsapp-permissions', 'knocks', 'instances', 'status', 'ledger'],
    showsErrorInPlace: true,
    onSuccess: onErased,
  });
  const preview = useQuery({ ...forgetQuery(contact.id), enabled: forget.data === undefined });
  if (forget.data !== undefined) {
    return (
      <div className={shared.form}>
        <Note hue="ok" icon={IconEraser} role="status">
          Erased: {erasedText(forget.data.erased)}.
        </Note>
        {forget.data.stays.map((sentence) => (
          <p key={sentence} className="small dim">
            {sentence}
          </p>
        ))}
        <Button variant="default" size="xs" onClick={onDone}>
          Done
        </Button>
      </div>
    );
  }
  return (
    <QueryContent
      query={preview}
      subject="What would be erased"
      loading={<LoadingLines lines={3} />}
    >
      {({ counts, open_conversations: open }) => (
        <form
          className={shared.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (isNameTyped(typed, name)) forget.mutate();
          }}
        >
          <p className="small">
            This would be erased: {erasedText(counts)}.
            {open > 0 &&
              ` ${open === 1 ? 'One open conversation is' : `${open} open conversations are`} ended first.`}{' '}
            It cannot be undone.
          </p>
          <TextInput
            label={
              <>
                Type <b dir="auto">{name}</b> to confirm
              </>
            }
            autoFocus
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={forget.isError && readableError(forget.error)}
          />
          <div className={shared.acts}>
            <Button
              type="submit"
              color="red"
              size="xs"
              disabled={isGone || !isNameTyped(typed, name)}
              loading={forget.isPending}
            >
              Forget for good
            </Button>
            <Button variant="default" size="xs" onClick={onKeep}>
              Keep
            </Button>
          </div>
        </form>
      )}
    </QueryContent>
  );
}
