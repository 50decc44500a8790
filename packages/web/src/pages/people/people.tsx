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
import {
  CONTACTS_SHOWN_LABELS,
  grantLadder,
  type LadderRung,
  PEOPLE_LEAD,
  peopleSentence,
} from './copy.ts';
import { FindField, GrantsList } from './grants.tsx';
import { MessageRequestsCard } from './message-requests.tsx';
import classes from './people.module.css';
import { PersonDrawer } from './person.tsx';
import { contactCountsQuery, contactsQuery } from './queries.ts';
import { GRANT_TOUCHES, type GrantPatch, saveGrant } from './use-grant.tsx';

const USUAL_SHOWN: readonly ContactFilter[] = ['open', 'closed', 'all'];

export function PeopleScreen() {
  const { data: counts } = useQuery(contactCountsQuery);
  const [isAllowing, setAllowing] = useState(false);
  const { who, ...search } = readPeopleSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const leave = () => void navigate({ to: '/people', search, resetScroll: false });
  useKeys({ n: () => setAllowing(true) }, 'Allow someone');
  const allow = (
    <Button
      leftSection={<IconUserPlus size={17} stroke={1.7} aria-hidden />}
      rightSection={<KeyHint>N</KeyHint>}
      aria-keyshortcuts="n"
      onClick={() => setAllowing(true)}
    >
      Allow someone
    </Button>
  );
  return (
    <Page
      title="People & grants"
      sentence={counts === undefined ? 'Who may be read, and answered?' : peopleSentence(counts)}
      summary={PEOPLE_LEAD}
      actions={allow}
    >
      <GrantLadder counts={counts} />
      <MessageRequestsCard />
      <GrantsCard onAllow={() => setAllowing(true)} />
      <AllowModal isOpen={isAllowing} onClose={() => setAllowing(false)} />
      {who !== undefined && <PersonDrawer key={who} id={who} onClose={leave} />}
    </Page>
  );
}

function GrantsCard({ onAllow }: { onAllow(): void }) {
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
      title="Grants"
      aside={
        <div className={classes.filters}>
          {USUAL_SHOWN.includes(show) ? (
            <SegmentedControl
              size="xs"
              aria-label="Whom to show"
              value={show}
              onChange={(next) => go({ show: next as ContactFilter, page: undefined })}
              data={USUAL_SHOWN.map((value) => ({ value, label: CONTACTS_SHOWN_LABELS[value] }))}
            />
          ) : (
            <Button
              variant="default"
              size="xs"
              rightSection={<IconX size={14} aria-hidden />}
              aria-label={`Only ${CONTACTS_SHOWN_LABELS[show]}. Show all who are open`}
              onClick={() => go({ show: undefined, page: undefined })}
            >
              {CONTACTS_SHOWN_LABELS[show]}
            </Button>
          )}
          <FindField value={q} onFind={(next) => go({ q: next, page: undefined }, true)} />
        </div>
      }
    >
      <QueryContent query={contacts} subject="The people" loading={<LoadingRows rows={6} />}>
        {(found) =>
          found.contacts.length === 0 ? (
            <NobodyListed search={search} show={show} isSearch={q !== ''} onAllow={onAllow} />
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

interface NobodyListedProps {
  readonly search: PeopleSearch;
  readonly show: ContactFilter;
  readonly isSearch: boolean;
  onAllow(): void;
}

function NobodyListed({ search, show, isSearch, onAllow }: NobodyListedProps) {
  if (isSearch) {
    return (
      <EmptyState
        icon={IconSearchOff}
        title="Nobody fits that here."
        action={
          show !== 'all' && (
            <Link to="/people" search={{ ...search, show: 'all', page: undefined }}>
              Look among everybody
            </Link>
          )
        }
      />
    );
  }
  if (show !== 'open') return <EmptyState icon={IconUsers} title="Nobody is here." />;
  return (
    <EmptyState
      icon={IconLock}
      title="Everyone is closed."
      action={
        <Button variant="default" onClick={onAllow}>
          Allow someone
        </Button>
      }
    >
      That is safe, and nothing will be answered. Allow one person to begin.
    </EmptyState>
  );
}

// How many contacts have which access; each count links to its contacts.

const RUNGS: Readonly<Record<LadderRung['rung'], { icon: TablerIcon; show: ContactFilter }>> = {
  known: { icon: IconUsers, show: 'all' },
  read: { icon: IconEye, show: 'read' },
  reply: { icon: IconArrowBackUp, show: 'reply' },
  auto: { icon: IconSend, show: 'auto' },
  start: { icon: IconMessagePlus, show: 'start' },
};

function GrantLadder({ counts }: { readonly counts: ContactCounts | undefined }) {
  if (counts === undefined)
    return <Skeleton className={classes.late ?? ''} height={66} mb={18} radius={12} />;
  return (
    <ul className={classes.ladder} aria-label="How far it is open">
      {grantLadder(counts).map(({ rung, n, label, detail }) => (
        <li key={rung}>
          <Link to="/people" search={{ show: RUNGS[rung].show }}>
            <Tile icon={RUNGS[rung].icon} hue={rung === 'known' || n === 0 ? 'parked' : 'agent'} />
            <b className="num">{groupDigits(n)}</b>
            <span>
              {label} <small>{detail}</small>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

// Adds a grant: the contact is found among those that Relay knows, or entered as a number. Only reading is suggested;
// replies granted here begin as drafts, so nothing is sent without the owner.

const ALLOW_CHOICES = {
  read: { canRead: true },
  draft: { canRead: true, canReply: true, replyMode: 'draft' },
} as const satisfies Record<string, GrantPatch>;

function AllowModal({ isOpen: isShown, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Modal
      opened={isShown}
      onClose={onClose}
      title="Allow someone"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <AllowForm onDone={onClose} />
    </Modal>
  );
}

function AllowForm({ onDone }: { onDone(): void }) {
  const isGone = useIsDaemonGone();
  const [whom, setWhom] = useState<ContactChoice | null>(null);
  const [given, setGiven] = useState('');
  const [what, setWhat] = useState<keyof typeof ALLOW_CHOICES>('read');
  const [isTried, setTried] = useState(false);
  const name = chosenName(whom, given);
  const sum = grantSentence({
    displayName: name === '' ? 'them' : name,
    canRead: true,
    canReply: what === 'draft',
    replyMode: 'draft',
  });
  const allow = useAction({
    run: (somebody: ContactChoice) => allowContact(somebody, given.trim(), ALLOW_CHOICES[what]),
    invalidates: GRANT_TOUCHES,
    successMessage: sum,
    showsErrorInPlace: true,
    onSuccess: onDone,
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (whom !== null) allow.mutate(whom);
      }}
    >
      <ContactField
        label="Whom"
        value={whom}
        onChoose={setWhom}
        error={
          allow.isError
            ? readableError(allow.error)
            : isTried && whom === null && 'Choose somebody.'
        }
      />
      {isNewGrant(whom) && (
        <TextInput
          label="What you call them"
          description="Agents know them by this name, or else by their number."
          value={given}
          onChange={({ currentTarget }) => setGiven(currentTarget.value)}
        />
      )}
      {whom?.is === 'contact' && hasOpenGrant(whom.contact) && (
        <Note hue="agent" icon={IconInfoCircle}>
          <span dir="auto">Open already: {grantSummary(whom.contact, name)}</span>
        </Note>
      )}
      <Radio.Group
        label="What is opened"
        value={what}
        onChange={(next) => setWhat(next === 'draft' ? 'draft' : 'read')}
      >
        <Radio
          mt={8}
          value="read"
          label="Read only"
          description="Suggested. Nothing is answered."
        />
        <Radio
          mt={8}
          value="draft"
          label="Read, and write drafts"
          description="You send each reply."
        />
      </Radio.Group>
      <p className="small dim" dir="auto">
        {sum}
      </p>
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={allow.isPending}>
          {what === 'read' ? 'Allow reading' : 'Allow reading and drafts'}
        </Button>
        <Button variant="default" onClick={onDone}>
          Never mind
        </Button>
      </div>
    </form>
  );
}

const isNewGrant = (whom: ContactChoice | null): boolean =>
  whom?.is === 'number' || (whom?.is === 'contact' && whom.contact.grant === null);

function chosenName(whom: ContactChoice | null, given: string): string {
  if (isNewGrant(whom) && given.trim() !== '') return given.trim();
  if (whom?.is === 'contact') return contactLabel(whom.contact);
  return whom?.is === 'number' ? formatPhoneNumber(whom.digits) : '';
}

async function allowContact(whom: ContactChoice, name: string, flags: GrantPatch): Promise<void> {
  if (whom.is === 'contact') await saveGrant(whom.contact, flags, name);
  if (whom.is !== 'number') return;
  const number = formatPhoneNumber(whom.digits);
  const body = { phoneNumber: number, displayName: name || number, replyMode: 'draft' as const };
  await relay.post('/api/whatsapp/permissions', { body: { ...body, ...flags } });
}
