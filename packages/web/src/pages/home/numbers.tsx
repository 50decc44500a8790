// Today in numbers: since midnight where the owner is, with what models have used of what they may.
import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../../data/queries.ts';
import { Card } from '../../parts/card.tsx';
import parts from '../../parts/parts.module.css';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { useActivity } from './activity.tsx';
import { brief } from './activity-words.ts';
import classes from './home.module.css';
import { Figure } from './report.tsx';

export function NumbersCard() {
  const activity = useActivity();
  const { data: status } = useQuery(statusQuery);
  return (
    <Card title="Today">
      <Asked query={activity} what="The numbers" loading={<LoadingLines lines={3} />}>
        {({ today }) => (
          <>
            <div className={classes.figures}>
              <Figure n={today.received} says="came in" />
              <Figure n={today.sent} says="left" />
              <Figure n={today.answers} says="answers" />
              <Figure n={today.completed} says="talks done" />
              <Figure n={status?.sending.waiting ?? 0} says="about to leave" />
              <Figure n={status?.sending.failed ?? 0} says="failed in 24 h" />
            </div>
            <div className={parts.meter} style={{ marginTop: 14 }}>
              <span className="dim">Tokens of models</span>
              <span className="num">
                <b>{brief(today.tokens)}</b>{' '}
                <span className="dim">of {brief(today.tokens_per_day)}</span>
              </span>
              <Progress
                value={Math.min(100, (today.tokens / today.tokens_per_day) * 100)}
                size={6}
                aria-label={`Tokens of models today: ${today.tokens} of ${today.tokens_per_day}`}
              />
            </div>
          </>
        )}
      </Asked>
    </Card>
  );
}
