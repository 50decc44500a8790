// Who may be read, who may be answered: the ladder of counts, who knocked, and everybody with what is open for them.
import { Button, SegmentedControl } from '@mantine/core';
import type { ContactsShown } from '@relay/core/api/contacts';
import { IconLock, IconSearchOff, IconUserPlus, IconUsers, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Card } from '../../parts/card.tsx';
import { Page } from '../../parts/page.tsx';
import { Asked, Empty, LoadingRows } from '../../parts/places.tsx';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { AllowModal } from './allow.tsx';
import { Find } from './find.tsx';
import { GrantsList } from './grants-list.tsx';
import { KnocksCard } from './knocks.tsx';
import { Ladder } from './ladder.tsx';
import classes from './people.module.css';
import { PersonDrawer } from './person.tsx';
import { contactsQuery, countsQuery } from './queries.ts';
import { type PeopleSearch, readPeopleSearch, USUAL } from './search.ts';
import { LEAD, peopleSentence, SHOWN_WORDS } from './words.ts';

const USUAL_SHOWN: readonly ContactsShown[] = ['open', 'closed', 'all'];

export function People() {
  const { data: counts } = useQuery(countsQuery);
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
      lead={LEAD}
      acts={allow}
    >
      <Ladder counts={counts} />
      <KnocksCard />
      <Grants onAllow={() => setAllowing(true)} />
      <AllowModal isOpen={isAllowing} onClose={() => setAllowing(false)} />
      {who !== undefined && <PersonDrawer key={who} id={who} onClose={leave} />}
    </Page>
  );
}

function Grants({ onAllow }: { onAllow(): void }) {
  const search = readPeopleSearch(useSearch({ strict: false }));
  const { show = USUAL, q = '', page = 1 } = search;
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
              onChange={(next) => go({ show: next as ContactsShown, page: undefined })}
              data={USUAL_SHOWN.map((value) => ({ value, label: SHOWN_WORDS[value] }))}
            />
          ) : (
            <Button
              variant="default"
              size="xs"
              rightSection={<IconX size={14} aria-hidden />}
              aria-label={`Only ${SHOWN_WORDS[show]}. Show all who are open`}
              onClick={() => go({ show: undefined, page: undefined })}
            >
              {SHOWN_WORDS[show]}
            </Button>
          )}
          <Find value={q} onFind={(next) => go({ q: next, page: undefined }, true)} />
        </div>
      }
    >
      <Asked query={contacts} what="The people" loading={<LoadingRows rows={6} />}>
        {(found) =>
          found.contacts.length === 0 ? (
            <Nobody search={search} show={show} isSearch={q !== ''} onAllow={onAllow} />
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
      </Asked>
    </Card>
  );
}

interface NobodyProps {
  readonly search: PeopleSearch;
  readonly show: ContactsShown;
  readonly isSearch: boolean;
  onAllow(): void;
}

function Nobody({ search, show, isSearch, onAllow }: NobodyProps) {
  if (isSearch) {
    return (
      <Empty
        icon={IconSearchOff}
        title="Nobody fits that here."
        act={
          show !== 'all' && (
            <Link to="/people" search={{ ...search, show: 'all', page: undefined }}>
              Look among everybody
            </Link>
          )
        }
      />
    );
  }
  if (show !== 'open') return <Empty icon={IconUsers} title="Nobody is here." />;
  return (
    <Empty
      icon={IconLock}
      title="Everyone is closed."
      act={
        <Button variant="default" onClick={onAllow}>
          Allow someone
        </Button>
      }
    >
      That is safe, and nothing will be answered. Allow one person to begin.
    </Empty>
  );
}
