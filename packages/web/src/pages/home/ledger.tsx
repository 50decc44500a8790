// What Relay did lately, and why: the newest rows of the ledger, each with its reason in words.
import type { LedgerLine } from '@relay/core/api/ledger';
import { IconBook2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { recentLedgerQuery } from '../../data/queries.ts';
import { Card } from '../../parts/card.tsx';
import { Badge } from '../../parts/marks.tsx';
import { outcomeShown } from '../../parts/outcomes.ts';
import parts from '../../parts/parts.module.css';
import { Asked, Empty } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { timeOfDay } from '../../parts/times.ts';
import classes from './home.module.css';

export function LedgerCard() {
  const ledger = useQuery(recentLedgerQuery);
  return (
    <Card
      flush
      title="What it did, and why"
      aside={
        <Link className="small" to="/ledger">
          Open ledger
        </Link>
      }
    >
      <Asked query={ledger} what="The ledger">
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty icon={IconBook2} title="Nothing was decided yet.">
              Every yes and every no will stand here with its reason.
            </Empty>
          ) : (
            <ul className={`${classes.feed} ${parts.rows}`}>
              {entries.map((entry) => (
                <Entry key={entry.seq} entry={entry} />
              ))}
            </ul>
          )
        }
      </Asked>
    </Card>
  );
}

function Entry({ entry }: { readonly entry: LedgerLine }) {
  const { word, hue, icon } = outcomeShown(entry.outcome);
  return (
    <li>
      <time dateTime={entry.at}>{timeOfDay(entry.at)}</time>
      <Badge hue={hue} icon={icon}>
        {word}
      </Badge>
      <b dir="auto" title={entry.what}>
        {entry.about ?? entry.who}
      </b>
      <span className="dim" dir="auto">
        <Sentence text={entry.sentence} />
      </span>
    </li>
  );
}
