// What happens when no answer comes: how long the agent waits, and how often it asks again before it gives up.
import { NumberInput, Select } from '@mantine/core';
import { LIMITS } from '@relay/core/conversation/limits';
import type { Draft, Wrong } from './draft.ts';
import { followUpSentence, INTERVALS, intervalOf } from './intervals.ts';
import classes from './new-conversation.module.css';

interface FollowUpsProps {
  readonly draft: Draft;
  readonly wrong: Wrong;
  onChange(by: Partial<Draft>): void;
}

export function FollowUps({ draft, wrong, onChange }: FollowUpsProps) {
  const { n, unit } = intervalOf(draft.everyMs);
  const every = (count: number, of: string) =>
    onChange({ everyMs: Math.round(count * (INTERVALS[of] ?? 1)) });
  return (
    <section className={classes.lines} aria-label="Follow-ups">
      <h3>Follow-ups</h3>
      <p className="small dim">{followUpSentence(draft.everyMs, draft.most)}</p>
      <div className={classes.followUps}>
        <NumberInput
          label="How many"
          min={0}
          max={LIMITS.followups}
          clampBehavior="none"
          allowDecimal={false}
          value={draft.most}
          onChange={(most) => onChange({ most: Number(most) })}
          error={wrong.most}
        />
        <NumberInput
          label="Wait for"
          min={1}
          clampBehavior="none"
          value={n}
          onChange={(count) => every(Number(count), unit)}
          error={wrong.everyMs}
        />
        <Select
          aria-label="Unit of the wait"
          data={Object.keys(INTERVALS)}
          value={unit}
          allowDeselect={false}
          onChange={(of) => of !== null && every(n, of)}
        />
      </div>
    </section>
  );
}
