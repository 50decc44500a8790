// Home: is all well, what needs me, what happened while it was off. Each card asks for its own, so that one which
// fails leaves the rest alone.
import { Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { linkQuery, statusQuery } from '../../data/queries.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { Later, Soon } from '../../parts/later.tsx';
import { Page } from '../../parts/page.tsx';
import { fullTime } from '../../parts/times.ts';
import { ActivityCharts, TurnsCard } from './activity.tsx';
import { HealthCard } from './health.tsx';
import classes from './home.module.css';
import { LedgerCard } from './ledger.tsx';
import { NumbersCard } from './numbers.tsx';
import { ReportCard } from './report.tsx';
import { WaitingCard } from './waiting.tsx';
import { homeLead, homeSentence } from './words.ts';

export function Home() {
  const { data: status } = useQuery(statusQuery);
  const { data: link } = useQuery(linkQuery);
  const isGone = useIsGone();
  const now = useNow(20_000);
  const isUnlinked = link !== undefined && link.phone === null;
  return (
    <Page
      title="Home"
      eyebrow={fullTime(now)}
      sentence={status ? homeSentence(status, link, isGone) : 'Asking Relay how it is …'}
      lead={status && !isGone ? homeLead(status) : undefined}
      acts={
        isUnlinked ? (
          <Button component={Link} to="/tools" leftSection={<IconPlugConnected size={17} />}>
            Link device
          </Button>
        ) : undefined
      }
    >
      <div className={classes.columns}>
        <div className={classes.stack}>
          <Soon>
            <WaitingCard />
            <Later after={0}>
              <ActivityCharts />
              <LedgerCard />
            </Later>
          </Soon>
        </div>
        <div className={classes.stack}>
          <Soon>
            <HealthCard />
            <ReportCard />
            <NumbersCard />
            <Later after={0}>
              <TurnsCard />
            </Later>
          </Soon>
        </div>
      </div>
    </Page>
  );
}
