// The ledger page: every decision with its reason, newest first. New rows collect behind a button, so that no row moves
// under the pointer. On a phone the selected one is a separate page.
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { LedgerLine } from '@relay/contract/api/ledger';
import {
  IconArrowUp,
  IconBook2,
  IconChevronLeft,
  IconDownload,
  IconFilterOff,
} from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { Page } from '../../parts/page.tsx';
import { EmptyState, QueryContent } from '../../parts/query-content.tsx';
import {
  isLedgerFiltered,
  type LedgerSearch,
  pickLedgerFilters,
  readLedgerSearch,
} from '../../search-params.ts';
import { useKeys } from '../../shell/keys.tsx';
import { ChainCheck, ChainFault } from './chain-check.tsx';
import { ledgerSummary } from './copy.ts';
import { DecisionDetail, WhyDetail } from './decision-detail.tsx';
import classes from './ledger.module.css';
import { LedgerFilters, LedgerRows } from './ledger-list.tsx';
import { ledgerPagesQuery, MOST_NEW, newRowsQuery, toLedgerQuery } from './queries.ts';

export function LedgerScreen() {
  const { row } = useParams({ strict: false });
  const search = readLedgerSearch(useSearch({ strict: false }));
  const isPhone = useMediaQuery('(max-width: 860px)', false, { getInitialValueInEffect: false });
  const isChosen = row !== undefined || search.message !== undefined;
  return isPhone && isChosen ? (
    <LedgerPhonePage row={row} search={search} />
  ) : (
    <LedgerOverview row={row} search={search} isPhone={isPhone} />
  );
}

interface LedgerOverviewProps {
  readonly row: string | undefined;
  readonly search: LedgerSearch;
  readonly isPhone: boolean;
}

function LedgerOverview({ row, search, isPhone }: LedgerOverviewProps) {
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
      search: pickLedgerFilters(search),
      replace: true,
      resetScroll: false,
    });
  };
  useKeys(entries.length > 1 ? { j: move(1), k: move(-1) } : {}, t('ledger.keys.move'));
  const total = isLedgerFiltered(search) ? undefined : newest;
  return (
    <Page
      title={t('common.page.ledger')}
      summary={ledgerSummary(total)}
      actions={
        <>
          <ChainCheck />
          <ExportButton search={search} />
        </>
      }
    >
      <ChainFault />
      <LedgerFilters search={search} />
      <div className={classes.columns}>
        <section className={classes.list} aria-label={t('ledger.list.label')}>
          <NewRowsButton
            n={later?.entries.length ?? 0}
            onShow={() => {
              setRound(round + 1);
              scrollTo({ top: 0 });
            }}
          />
          <QueryContent query={pages} subject={t('common.page.ledger')}>
            {() =>
              entries.length === 0 ? (
                <NoDecisions search={search} />
              ) : (
                <LedgerRows
                  entries={entries}
                  pages={pages}
                  chosen={isStory ? undefined : chosen}
                  search={search}
                />
              )
            }
          </QueryContent>
        </section>
        {isStory ? (
          <WhyDetail message={search.message ?? ''} chat={search.chat} />
        ) : (
          chosen !== undefined && (
            <DecisionDetail
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

function NewRowsButton({ n, onShow }: { readonly n: number; onShow(): void }) {
  if (n === 0) return null;
  return (
    <div className={classes.new}>
      <Button size="xs" leftSection={<IconArrowUp size={15} />} onClick={onShow}>
        {t('ledger.list.new', { count: n, more: n >= MOST_NEW ? 'yes' : 'no' })}
      </Button>
    </div>
  );
}

function NoDecisions({ search }: { readonly search: LedgerSearch }) {
  if (!isLedgerFiltered(search)) {
    return (
      <EmptyState icon={IconBook2} title={t('ledger.list.empty')}>
        {t('ledger.list.empty.hint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconFilterOff}
      title={t('ledger.list.noMatch')}
      action={
        <Button component={Link} to="/ledger" variant="default">
          {t('ledger.list.clear')}
        </Button>
      }
    />
  );
}

// The selected decision, or a message's history, as a separate page for a phone.

interface LedgerPhonePageProps {
  readonly row: string | undefined;
  readonly search: LedgerSearch;
}

function LedgerPhonePage({ row, search }: LedgerPhonePageProps) {
  const { message, chat } = search;
  return (
    <Page
      title={t('common.page.ledger')}
      eyebrow={
        <Link to="/ledger" search={pickLedgerFilters(search)} className={classes.back}>
          <IconChevronLeft size={16} className="mirrored" aria-hidden /> {t('ledger.all')}
        </Link>
      }
    >
      {row === undefined ? (
        message !== undefined && <WhyDetail message={message} chat={chat} />
      ) : (
        <DecisionDetail seq={Number(row)} />
      )}
    </Page>
  );
}

// Exports the filtered rows as JSON lines: read page by page from the oldest, so that the file is complete however long
// it takes.

const EXPORT_PAGE = 500;

function ExportButton({ search }: { readonly search: LedgerSearch }) {
  const isGone = useIsDaemonGone();
  const [read, setRead] = useState(0);
  const save = useAction({
    run: async () => {
      setRead(0);
      const lines = await readAll(search, setRead);
      downloadText(lines.join(''));
    },
    invalidates: [],
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      disabled={isGone || save.isPending}
      onClick={() => save.mutate()}
    >
      {save.isPending ? t('ledger.export.rows', { count: read }) : t('ledger.export')}
    </Button>
  );
}

async function readAll(search: LedgerSearch, onRead: (rows: number) => void): Promise<string[]> {
  const lines: string[] = [];
  const filters = toLedgerQuery(search);
  for (let cursor = '0'; ; ) {
    const query = { ...filters, order: 'oldest', limit: EXPORT_PAGE, cursor } as const;
    const page = await relay.get('/api/ledger', { query });
    lines.push(...page.entries.map((entry: LedgerLine) => `${JSON.stringify(entry)}\n`));
    onRead(lines.length);
    if (!page.more || page.cursor === null) return lines;
    cursor = page.cursor;
  }
}

function downloadText(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `relay-ledger-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  URL.revokeObjectURL(url);
}
