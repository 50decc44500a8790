// The chosen decision, or a message's story, as a page of its own, for a phone.
import { IconChevronLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Page } from '../../parts/page.tsx';
import classes from './ledger.module.css';
import { RowDetail } from './row-detail.tsx';
import { filtersOf, type LedgerSearch } from './search.ts';
import { WhyDetail } from './why-detail.tsx';

interface OnePageProps {
  readonly row: string | undefined;
  readonly search: LedgerSearch;
}

export function OnePage({ row, search }: OnePageProps) {
  const { message, chat } = search;
  return (
    <Page
      title="Ledger"
      eyebrow={
        <Link to="/ledger" search={filtersOf(search)} className={classes.back}>
          <IconChevronLeft size={16} aria-hidden /> All decisions
        </Link>
      }
      sentence={row === undefined ? 'Why it was treated so.' : 'One decision, and why.'}
    >
      {row === undefined ? (
        message !== undefined && <WhyDetail message={message} chat={chat} />
      ) : (
        <RowDetail seq={Number(row)} />
      )}
    </Page>
  );
}
