// The proof of silence: what left for the group, counted in the outbox, with the decisions behind it one click away.
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import { IconVolumeOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/numbers.ts';
import parts from '../../parts/parts.module.css';
import { moment } from '../../parts/times.ts';
import classes from './groups.module.css';
import { Iconed } from './iconed.tsx';

export function SilenceCard({ group }: { readonly group: ObservedGroup }) {
  const now = useNow(60_000);
  const since = moment(group.since, now);
  return (
    <Card
      title={
        <Iconed icon={IconVolumeOff}>
          {group.messages_sent === 0 ? 'Silence, proven' : 'What was sent there'}
        </Iconed>
      }
    >
      <p>
        {group.messages_sent === 0
          ? `Relay sent nothing here since ${since}: no message, no receipt that it was read, no sign of typing.`
          : `${counted(group.messages_sent, 'message')} left for this group since ${since}. Nothing shows that Relay reads.`}
      </p>
      <dl className={`${parts.facts} ${classes.spaced} num`}>
        <dt>Messages sent</dt>
        <dd>{group.messages_sent}</dd>
        <dt>May answer you</dt>
        <dd>{group.may_answer ? `yes, ${group.answers_per_day} a day` : 'no'}</dd>
        <dt>The group was told</dt>
        <dd>{group.announced_at === null ? 'not yet' : moment(group.announced_at, now)}</dd>
      </dl>
      <p className="small">
        <Link to="/ledger" search={{ subject: group.chat_id }}>
          Decisions about this group
        </Link>
      </p>
    </Card>
  );
}
