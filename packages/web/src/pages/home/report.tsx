// The restart report: what happened while Relay or its link was away. Dismissed once, it stays away until the next.
import { ActionIcon } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { statusQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { Card } from '../../parts/card.tsx';
import { grouped } from '../../parts/numbers.ts';
import { moment } from '../../parts/times.ts';
import classes from './home.module.css';

export function ReportCard() {
  const { data: status } = useQuery(statusQuery);
  const [seen, setSeen] = useLocalStorage({ key: 'relay-report-seen', defaultValue: '' });
  const now = useNow(60_000);
  const report = status?.report ?? null;
  if (report === null || report.until === seen) return null;
  return (
    <Card
      title="While it was off"
      aside={
        <ActionIcon onClick={() => setSeen(report.until)} aria-label="Dismiss the report">
          <IconX size={16} />
        </ActionIcon>
      }
    >
      <p className="small dim">
        {moment(report.since, now)} to {moment(report.until, now)}. {report.sentence}
      </p>
      <div className={classes.figures} style={{ marginTop: 12 }}>
        <Figure n={report.messages} says="came in" />
        <Figure n={report.chats} says="chats" />
        <Figure n={report.unknownSends} says="sends unsure" />
        <Figure n={report.needsYou} says="need you" />
      </div>
      <p className="small" style={{ marginTop: 12 }}>
        <Link to="/ledger">See these in the ledger</Link>
      </p>
    </Card>
  );
}

export function Figure({ n, says }: { readonly n: number; readonly says: string }) {
  return (
    <div>
      <b>{grouped(n)}</b>
      <span>{says}</span>
    </div>
  );
}
