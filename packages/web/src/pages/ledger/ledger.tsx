// The ledger: every decision with its reason, the newest first, page by page. What is written while the owner reads
// collects behind a button, so that no row moves under a pointer. On a phone the chosen one is a page of its own.
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowUp, IconBook2, IconFilterOff } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { Asked, Empty } from '../../parts/places.tsx';
import { useKeys } from '../../shell/keys.tsx';
import { ChainCheck, ChainFault } from './chain-check.tsx';
import { ExportButton } from './export-button.tsx';
import { Filters } from './filters.tsx';
import classes from './ledger.module.css';
import { OnePage } from './one-page.tsx';
import { ledgerPagesQuery, MOST_NEW, newRowsQuery } from './queries.ts';
import { RowDetail } from './row-detail.tsx';
import { Rows } from './rows.tsx';
import { filtersOf, isFiltered, type LedgerSearch, readLedgerSearch } from './search.ts';
import { WhyDetail } from './why-detail.tsx';
import { ledgerSentence } from './words.ts';

export function Ledger() {
  const { row } = useParams({ strict: false });
  const search = readLedgerSearch(useSearch({ strict: false }));
  const isPhone = useMediaQuery('(max-width: 860px)', false, { getInitialValueInEffect: false });
  const isChosen = row !== undefined || search.message !== undefined;
  return isPhone && isChosen ? (
    <OnePage row={row} search={search} />
  ) : (
    <Whole row={row} search={search} isPhone={isPhone} />
  );
}

interface WholeProps {
  readonly row: string | undefined;
  readonly search: LedgerSearch;
  readonly isPhone: boolean;
}

function Whole({ row, search, isPhone }: WholeProps) {
  const [round, setRound] = useState(0);
  const pages = useInfiniteQuery({
    ...ledgerPagesQuery(search, round),
    placeholderData: keepPreviousData,
  });
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  const newest = pages.data === undefined ? undefined : (entries[0]?.seq ?? 0);
  const { data: later } = useQuery(newRowsQuery(search, newest));
  const first = isPhone ? undefined : entries[0]?.seq;
  const isStory = row === undefined && search.message !== undefined;
  const chosen = row === undefined ? first : Number(row);
  const navigate = useNavigate();
  const at = entries.findIndex(({ seq }) => seq === chosen);
  const move = (step: number) => () => {
    const next = entries[at + step];
    if (next === undefined) return;
    void navigate({
      to: '/ledger/$row',
      params: { row: String(next.seq) },
      search: filtersOf(search),
      replace: true,
      resetScroll: false,
    });
  };
  useKeys(
    entries.length > 1 ? { j: move(1), k: move(-1) } : {},
    'The next row, and the one before',
  );
  const total = isFiltered(search) ? undefined : newest;
  return (
    <Page
      title="Ledger"
      sentence={ledgerSentence(total)}
      lead="One row for each yes and each no, in order, never changed."
      acts={
        <>
          <ChainCheck />
          <ExportButton search={search} />
        </>
      }
    >
      <ChainFault />
      <Filters search={search} />
      <div className={classes.columns}>
        <section className={classes.list} aria-label="Decisions">
          <New
            n={later?.entries.length ?? 0}
            onShow={() => {
              setRound(round + 1);
              scrollTo({ top: 0 });
            }}
          />
          <Asked query={pages} what="The ledger">
            {() =>
              entries.length === 0 ? (
                <Nothing search={search} />
              ) : (
                <Rows
                  entries={entries}
                  pages={pages}
                  chosen={isStory ? undefined : chosen}
                  search={search}
                />
              )
            }
          </Asked>
        </section>
        {isStory ? (
          <WhyDetail message={search.message ?? ''} chat={search.chat} />
        ) : (
          chosen !== undefined && (
            <RowDetail
              key={chosen}
              seq={chosen}
              listed={entries[at]}
              isLanding={row !== undefined}
            />
          )
        )}
      </div>
    </Page>
  );
}

function New({ n, onShow }: { readonly n: number; onShow(): void }) {
  if (n === 0) return null;
  return (
    <div className={classes.new}>
      <Button size="xs" leftSection={<IconArrowUp size={15} />} onClick={onShow}>
        {n >= MOST_NEW ? `${MOST_NEW}+` : n} new
      </Button>
    </div>
  );
}

function Nothing({ search }: { readonly search: LedgerSearch }) {
  if (!isFiltered(search)) {
    return (
      <Empty icon={IconBook2} title="Nothing was decided yet.">
        Every yes and every no will stand here with its reason.
      </Empty>
    );
  }
  return (
    <Empty
      icon={IconFilterOff}
      title="No decision is like that."
      act={
        <Button component={Link} to="/ledger" variant="default">
          Show all
        </Button>
      }
    >
      What you chose fits no row of the ledger.
    </Empty>
  );
}
