// The details of one person or group, beside the table; on a phone a separate page. Links to chats, conversations,
// decisions and clients, and at the end the button to erase their data.
import { Button, Drawer, Select, TextInput } from '@mantine/core';
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
import { t } from '../../i18n.ts';
import { contactLabel, formatMoment, formatPhoneNumber } from '../../parts/format.ts';
import { Badge } from '../../parts/marks.tsx';
import { decisionDisplay } from '../../parts/outcomes.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { decisionAction, decisionSentence } from '../../parts/sentences.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { clientAccessText, erasedText, isNameTyped, messageLimitChoices } from './copy.ts';
import { ContactGrantRow } from './grants.tsx';
import shared from './people.module.css';
import classes from './person.module.css';
import { contactQuery, forgetQuery, messageLimitsQuery } from './queries.ts';

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
          {detail.data === undefined
            ? t('people.details.title')
            : contactLabel(detail.data.contact)}
        </span>
      }
      closeButtonProps={{ 'aria-label': t('people.details.close') }}
    >
      <QueryContent
        query={detail}
        subject={t('people.details.subject')}
        loading={<LoadingLines lines={8} />}
      >
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
      <DetailPart title={t('people.details.chats')} none={t('people.details.noChats')}>
        {chats.map(({ id, kind, name, last_message_at: last }) => (
          <li key={id}>
            <Link to="/chats/$id" params={{ id }} dir="auto">
              {kind === 'direct'
                ? t('people.details.directChat')
                : (name ?? t('people.details.unnamedGroup'))}
            </Link>
            <span className="small dim num">{last === null ? '' : formatMoment(last, now)}</span>
          </li>
        ))}
      </DetailPart>
      <DetailPart
        title={t('people.details.conversations')}
        none={t('people.details.noConversations')}
      >
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <Link to="/conversations/$id" params={{ id: conversation.id }} dir="auto">
              {conversation.objective}
            </Link>
            <StateBadge instance={conversation} />
          </li>
        ))}
      </DetailPart>
      <DetailPart title={t('people.details.decisions')} none={t('people.details.noDecisions')}>
        {ledger.map((line) => {
          const { word, hue, icon } = decisionDisplay(line);
          return (
            <li key={line.seq} className={classes.line}>
              <Badge hue={hue} icon={icon}>
                {word}
              </Badge>
              <Link to="/ledger/$row" params={{ row: String(line.seq) }} className="small">
                <Sentence text={`${capital(decisionAction(line))}. ${decisionSentence(line)}`} />
              </Link>
              <span className="small dim num">{formatMoment(line.at, now)}</span>
            </li>
          );
        })}
      </DetailPart>
      <DetailPart title={t('people.details.clients')} none={t('people.details.noClients')}>
        {tokens.map(({ id, name, scopes, by_name: isNamed }) => (
          <li key={id} className={classes.client}>
            <span dir="auto">{name}</span>
            <p className="small dim">{clientAccessText(scopes, isNamed)}</p>
          </li>
        ))}
      </DetailPart>
      {contact.grant !== null && <PhotoChoice grant={contact.grant} photos={detail.photos} />}
      <MessageLimit contact={contact} />
      <EraseSection contact={contact} onErased={onErased} onDone={onDone} />
    </div>
  );
}

function Addresses({
  detail: { contact, addresses, calls_itself: ownName },
}: Pick<DetailsProps, 'detail'>) {
  return (
    <dl className={parts.facts}>
      {ownName !== null && ownName !== contact.name && <OwnName name={ownName} of={contact.kind} />}
      {addresses.map(({ kind, value }) => [
        <dt key={`${kind} ${value}`}>{t(`people.details.address.${kind}`)}</dt>,
        <dd key={value} className="num">
          {kind === 'phone' ? formatPhoneNumber(value) : value}
        </dd>,
      ])}
    </dl>
  );
}

interface OwnNameProps {
  readonly name: string;
  readonly of: ListedContact['kind'];
}

/** The name that a person or group has on WhatsApp. */
function OwnName({ name, of }: OwnNameProps) {
  return of === 'group' ? (
    <>
      <dt>{t('people.details.groupSubject')}</dt>
      <dd dir="auto">{name}</dd>
    </>
  ) : (
    <>
      <dt>{t('people.details.profileName')}</dt>
      <dd dir="auto">{t('people.details.profileNameValue', { name })}</dd>
    </>
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

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// Erases a contact permanently: shows what would be erased, asks for the name as confirmation, then shows the receipt.

interface EraseSectionProps {
  readonly contact: ListedContact;
  /** Called once their data no longer exists. */
  onErased(): void;
  onDone(): void;
}

function EraseSection({ contact, ...callbacks }: EraseSectionProps) {
  const [isAsking, setAsking] = useState(false);
  const name = contactLabel(contact);
  return (
    <section className={`${classes.part} ${classes.erase}`}>
      <h3>{t('people.erase.title')}</h3>
      {isAsking ? (
        <EraseForm contact={contact} {...callbacks} onKeep={() => setAsking(false)} />
      ) : (
        <>
          <p className="small dim" dir="auto">
            {t('people.erase.hint', { name })}
          </p>
          <Button variant="default" size="xs" onClick={() => setAsking(true)}>
            {t('people.erase.show')}
          </Button>
        </>
      )}
    </section>
  );
}

interface PhotoChoiceProps {
  readonly grant: NonNullable<ListedContact['grant']>;
  readonly photos: ContactDetail['photos'];
}

/** Whether photos in the chat may go to the model's provider. */
function PhotoChoice({ grant, photos }: PhotoChoiceProps) {
  const isGone = useIsDaemonGone();
  const set = useAction({
    run: (choice: ContactDetail['photos']) =>
      relay.patch('/api/whatsapp/permissions/{id}', {
        path: { id: grant.id },
        body: { options: { photos: choice } },
      }),
    invalidates: ['contacts', 'whatsapp-permissions'],
  });
  return (
    <section className={classes.part}>
      <h3>{t('people.photos.title')}</h3>
      <Select
        aria-label={t('people.photos.title')}
        description={t('people.photos.hint')}
        data={[
          { value: 'default', label: t('people.photos.default') },
          { value: 'show', label: t('people.photos.show') },
          { value: 'hide', label: t('people.photos.hide') },
        ]}
        value={photos ?? 'default'}
        allowDeselect={false}
        disabled={isGone || set.isPending}
        onChange={(value) => set.mutate(value === 'show' || value === 'hide' ? value : null)}
      />
    </section>
  );
}

function MessageLimit({ contact }: { readonly contact: ListedContact }) {
  const isGone = useIsDaemonGone();
  const limits = useQuery(messageLimitsQuery);
  const set = useAction({
    run: (days: number | null) =>
      relay.patch('/api/retention/chats', { body: { id: contact.id, days } }),
    invalidates: ['groups'],
  });
  if (limits.data === undefined) return null;
  const own = limits.data.chats.find(({ chat_id, contact_id }) =>
    [chat_id, contact_id].includes(contact.id),
  );
  const days = own?.days ?? null;
  return (
    <section className={classes.part}>
      <h3>{t('people.retention.title')}</h3>
      <Select
        aria-label={t('people.retention.title')}
        description={t('people.retention.hint')}
        data={messageLimitChoices(limits.data.limits.messages_days, days)}
        value={String(days)}
        allowDeselect={false}
        disabled={isGone || set.isPending}
        onChange={(value) => set.mutate(value === 'null' ? null : Number(value))}
      />
    </section>
  );
}

function EraseForm({ contact, onErased, onDone, onKeep }: EraseSectionProps & { onKeep(): void }) {
  const [typed, setTyped] = useState('');
  const isGone = useIsDaemonGone();
  const name = contactLabel(contact);
  const erase = useAction({
    run: () => relay.post('/api/forget', { body: { id: contact.id } }),
    invalidates: ['whatsapp-permissions', 'knocks', 'instances', 'status', 'ledger'],
    showsErrorInPlace: true,
    onSuccess: onErased,
  });
  const preview = useQuery({ ...forgetQuery(contact.id), enabled: erase.data === undefined });
  if (erase.data !== undefined) {
    return (
      <div className={shared.form}>
        <Note hue="ok" icon={IconEraser} role="status">
          {t('people.erase.done', { items: erasedText(erase.data.erased) })}
        </Note>
        {erase.data.stays.map((sentence) => (
          <p key={sentence} className="small dim">
            {sentence}
          </p>
        ))}
        <Button variant="default" size="xs" onClick={onDone}>
          {t('people.erase.close')}
        </Button>
      </div>
    );
  }
  return (
    <QueryContent
      query={preview}
      subject={t('people.erase.subject')}
      loading={<LoadingLines lines={3} />}
    >
      {({ counts, open_conversations: open }) => (
        <form
          className={shared.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (isNameTyped(typed, name)) erase.mutate();
          }}
        >
          <p className="small">{t('people.erase.preview', { items: erasedText(counts) })}</p>
          {open > 0 && <p className="small">{t('people.erase.endsFirst', { count: open })}</p>}
          <TextInput
            label={
              <RichText
                id="people.erase.typeName"
                components={{ name: <b dir="auto">{name}</b> }}
              />
            }
            autoFocus
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={erase.isError && readableError(erase.error)}
          />
          <div className={shared.acts}>
            <Button
              type="submit"
              color="red"
              size="xs"
              disabled={isGone || !isNameTyped(typed, name)}
              loading={erase.isPending}
            >
              {t('people.erase.action')}
            </Button>
            <Button variant="default" size="xs" onClick={onKeep}>
              {t('common.action.keep')}
            </Button>
          </div>
        </form>
      )}
    </QueryContent>
  );
}
