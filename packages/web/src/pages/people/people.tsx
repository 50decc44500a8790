// The people page: counts by access, message requests, and everyone with their grants.
import { Button, Modal, Radio, SegmentedControl, Skeleton, TextInput } from '@mantine/core';
import type { ContactCounts, ContactFilter } from '@relay/contract/api/contacts';
import {
  IconArrowBackUp,
  IconEye,
  IconInfoCircle,
  IconLock,
  IconMessagePlus,
  IconSearchOff,
  IconSend,
  IconUserPlus,
  IconUsers,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { type ContactChoice, ContactField } from '../../parts/contact-field.tsx';
import { contactLabel, formatPhoneNumber, groupDigits } from '../../parts/format.ts';
import { grantSentence, grantSummary, hasOpenGrant } from '../../parts/grant-copy.ts';
import { Tile } from '../../parts/marks.tsx';
import { Card, Note, Page } from '../../parts/page.tsx';
import { EmptyState, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import {
  DEFAULT_CONTACTS_SHOWN,
  type PeopleSearch,
  readPeopleSearch,
} from '../../search-params.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { type AccessCount, accessCounts, peopleSummary } from './copy.ts';
import { FindField, GrantsList } from './grants.tsx';
import { MessageRequestsCard } from './message-requests.tsx';
import classes from './people.module.css';
import { PersonDrawer } from './person.tsx';
import { contactCountsQuery, contactsQuery } from './queries.ts';
import { GRANT_QUERIES, type GrantPatch, saveGrant } from './use-grant.tsx';

const MAIN_FILTERS: readonly ContactFilter[] = ['open', 'closed', 'all'];

export function PeopleScreen() {
  const { data: counts } = useQuery(contactCountsQuery);
  const [isAdding, setAdding] = useState(false);
  const { who, ...search } = readPeopleSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const closeDetails = () => void navigate({ to: '/people', search, resetScroll: false });
  useKeys({ n: () => setAdding(true) }, t('people.addGrant'));
  const add = (
    <Button
      leftSection={<IconUserPlus size={17} stroke={1.7} aria-hidden />}
      rightSection={<KeyHint>N</KeyHint>}
      aria-keyshortcuts="n"
      onClick={() => setAdding(true)}
    >
      {t('people.addGrant')}
    </Button>
  );
  return (
    <Page
      title={t('common.page.people')}
      summary={counts === undefined ? t('people.summary.loading') : peopleSummary(counts)}
      actions={add}
    >
      <AccessCounts counts={counts} />
      <MessageRequestsCard />
      <GrantsCard onAdd={() => setAdding(true)} />
      <AddGrantModal isOpen={isAdding} onClose={() => setAdding(false)} />
      {who !== undefined && <PersonDrawer key={who} id={who} onClose={closeDetails} />}
    </Page>
  );
}

function GrantsCard({ onAdd }: { onAdd(): void }) {
  const search = readPeopleSearch(useSearch({ strict: false }));
  const { show = DEFAULT_CONTACTS_SHOWN, q = '', page = 1 } = search;
  const navigate = useNavigate();
  const contacts = useQuery(contactsQuery({ show, q, page }));
  const go = (change: PeopleSearch, replace = false) =>
    void navigate({
      to: '/people',
      search: { ...search, ...change },
      replace,
      resetScroll: false,
    });
  return (
    <Card
      flush
      className={classes.card ?? ''}
      title={t('people.grants.title')}
      aside={
        <div className={classes.filters}>
          {MAIN_FILTERS.includes(show) ? (
            <SegmentedControl
              size="xs"
              aria-label={t('people.filter.label')}
              value={show}
              onChange={(next) => go({ show: next as ContactFilter, page: undefined })}
              data={MAIN_FILTERS.map((value) => ({ value, label: t(`people.filter.${value}`) }))}
            />
          ) : (
            <Button
              variant="default"
              size="xs"
              rightSection={<IconX size={14} aria-hidden />}
              aria-label={t('people.filter.remove', { filter: t(`people.filter.${show}`) })}
              onClick={() => go({ show: undefined, page: undefined })}
            >
              {t(`people.filter.${show}`)}
            </Button>
          )}
          <FindField value={q} onFind={(next) => go({ q: next, page: undefined }, true)} />
        </div>
      }
    >
      <QueryContent
        query={contacts}
        subject={t('people.grants.contacts')}
        loading={<LoadingRows rows={6} />}
      >
        {(found) =>
          found.contacts.length === 0 ? (
            <NoContacts search={search} show={show} isSearch={q !== ''} onAdd={onAdd} />
          ) : (
            <GrantsList
              found={found}
              page={page}
              onPage={(next) => go({ page: next })}
              named={(id) => (name) => (
                <Link to="/people" search={{ ...search, who: id }} resetScroll={false}>
                  <b dir="auto">{name}</b>
                </Link>
              )}
            />
          )
        }
      </QueryContent>
    </Card>
  );
}

interface NoContactsProps {
  readonly search: PeopleSearch;
  readonly show: ContactFilter;
  readonly isSearch: boolean;
  onAdd(): void;
}

function NoContacts({ search, show, isSearch, onAdd }: NoContactsProps) {
  if (isSearch) {
    return (
      <EmptyState
        icon={IconSearchOff}
        title={t('people.empty.noMatches')}
        action={
          show !== 'all' && (
            <Link to="/people" search={{ ...search, show: 'all', page: undefined }}>
              {t('people.empty.searchAll')}
            </Link>
          )
        }
      />
    );
  }
  if (show !== 'open') return <EmptyState icon={IconUsers} title={t('people.empty.filtered')} />;
  return (
    <EmptyState
      icon={IconLock}
      title={t('people.empty.noGrants')}
      action={
        <Button variant="default" onClick={onAdd}>
          {t('people.addGrant')}
        </Button>
      }
    >
      {t('people.empty.noGrantsHint')}
    </EmptyState>
  );
}

// How many contacts have which access; each count links to its contacts.

const ACCESS_LEVELS: Readonly<
  Record<AccessCount['level'], { icon: TablerIcon; show: ContactFilter }>
> = {
  known: { icon: IconUsers, show: 'all' },
  read: { icon: IconEye, show: 'read' },
  reply: { icon: IconArrowBackUp, show: 'reply' },
  auto: { icon: IconSend, show: 'auto' },
  start: { icon: IconMessagePlus, show: 'start' },
};

function AccessCounts({ counts }: { readonly counts: ContactCounts | undefined }) {
  if (counts === undefined)
    return <Skeleton className={classes.late ?? ''} height={66} mb={18} radius={12} />;
  return (
    <ul className={classes.access} aria-label={t('people.access.label')}>
      {accessCounts(counts).map(({ level, count, label, detail }) => (
        <li key={level}>
          <Link to="/people" search={{ show: ACCESS_LEVELS[level].show }}>
            <Tile
              icon={ACCESS_LEVELS[level].icon}
              hue={level === 'known' || count === 0 ? 'parked' : 'agent'}
            />
            <b className="num">{groupDigits(count)}</b>
            <span>
              {label} {detail !== null && <small>{detail}</small>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

// Adds a grant: the contact is found among those that Relay knows, or entered as a number. Only reading is suggested;
// replies granted here begin as drafts, so nothing is sent without the owner.

const GRANT_CHOICES = {
  read: { canRead: true },
  draft: { canRead: true, canReply: true, replyMode: 'draft' },
} as const satisfies Record<string, GrantPatch>;

function AddGrantModal({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('people.addGrant')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <AddGrantForm onDone={onClose} />
    </Modal>
  );
}

function AddGrantForm({ onDone }: { onDone(): void }) {
  const isGone = useIsDaemonGone();
  const [choice, setChoice] = useState<ContactChoice | null>(null);
  const [typedName, setTypedName] = useState('');
  const [access, setAccess] = useState<keyof typeof GRANT_CHOICES>('read');
  const [isTried, setTried] = useState(false);
  const name = chosenName(choice, typedName);
  const summary = grantSentence({
    displayName: name,
    canRead: true,
    canReply: access === 'draft',
    replyMode: 'draft',
  });
  const add = useAction({
    run: (chosen: ContactChoice) => addGrant(chosen, typedName.trim(), GRANT_CHOICES[access]),
    invalidates: GRANT_QUERIES,
    successMessage: summary,
    showsErrorInPlace: true,
    onSuccess: onDone,
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (choice !== null) add.mutate(choice);
      }}
    >
      <ContactField
        label={t('people.add.contact')}
        value={choice}
        onChoose={setChoice}
        error={
          add.isError
            ? readableError(add.error)
            : isTried && choice === null && t('people.add.contactMissing')
        }
      />
      {isNewGrant(choice) && (
        <TextInput
          label={t('people.add.name')}
          description={t('people.add.nameHint')}
          value={typedName}
          onChange={({ currentTarget }) => setTypedName(currentTarget.value)}
        />
      )}
      {choice?.is === 'contact' && hasOpenGrant(choice.contact) && (
        <Note hue="agent" icon={IconInfoCircle}>
          <span dir="auto">
            {t('people.add.current', { summary: grantSummary(choice.contact, name) })}
          </span>
        </Note>
      )}
      <Radio.Group
        label={t('people.add.access')}
        value={access}
        onChange={(next) => setAccess(next === 'draft' ? 'draft' : 'read')}
      >
        <Radio
          mt={8}
          value="read"
          label={t('people.add.read')}
          description={t('people.add.readHint')}
        />
        <Radio
          mt={8}
          value="draft"
          label={t('people.add.draft')}
          description={t('people.add.draftHint')}
        />
      </Radio.Group>
      {name !== '' && (
        <p className="small dim" dir="auto">
          {summary}
        </p>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={add.isPending}>
          {t(access === 'read' ? 'people.add.allowRead' : 'people.add.allowDraft')}
        </Button>
        <Button variant="default" onClick={onDone}>
          {t('common.action.cancel')}
        </Button>
      </div>
    </form>
  );
}

const isNewGrant = (choice: ContactChoice | null): boolean =>
  choice?.is === 'number' || (choice?.is === 'contact' && choice.contact.grant === null);

function chosenName(choice: ContactChoice | null, typedName: string): string {
  if (isNewGrant(choice) && typedName.trim() !== '') return typedName.trim();
  if (choice?.is === 'contact') return contactLabel(choice.contact);
  return choice?.is === 'number' ? formatPhoneNumber(choice.digits) : '';
}

async function addGrant(choice: ContactChoice, name: string, flags: GrantPatch): Promise<void> {
  if (choice.is === 'contact') await saveGrant(choice.contact, flags, name);
  if (choice.is !== 'number') return;
  const number = formatPhoneNumber(choice.digits);
  const body = { phoneNumber: number, displayName: name || number, replyMode: 'draft' as const };
  await relay.post('/api/whatsapp/permissions', { body: { ...body, ...flags } });
}
