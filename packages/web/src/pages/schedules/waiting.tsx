// What was asked to be scheduled and waits for the owner's yes: until then nothing of it is a schedule.

import { Button } from '@mantine/core';
import { visible } from '@relay/core/messages/visible';
import { IconCalendarPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { approvalsQuery } from '../../data/queries.ts';
import { approvalWords, whyAsked } from '../../parts/approval-words.ts';
import { Card } from '../../parts/card.tsx';
import { Count, Tile } from '../../parts/marks.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './schedules.module.css';

export function WaitingCard() {
  const { data: approvals = [] } = useQuery(approvalsQuery);
  const asked = approvals.filter(({ kind }) => kind === 'schedule_message');
  if (asked.length === 0) return null;
  return (
    <Card
      flush
      className={classes.card ?? ''}
      title="Waits for your yes"
      mark={<Count n={asked.length} says={`${asked.length} in all`} />}
    >
      <ul className={classes.waiting}>
        {asked.map((approval) => (
          <li key={approval.id}>
            <Tile hue="you" icon={IconCalendarPlus} />
            <div>
              <b dir="auto">{approvalWords(approval).question}</b>
              <p className="small dim">
                <Sentence text={whyAsked(approval)} />
              </p>
              <blockquote dir="auto">{visible(approval.text)}</blockquote>
            </div>
            <Button
              component={Link}
              to={`/approvals/${approval.id}`}
              size="xs"
              variant="default"
              aria-label={`Decide: ${approvalWords(approval).question}`}
            >
              Decide
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
