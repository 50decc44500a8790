// How the conversation came to where it stands: each change of state, the newest first, and what caused it.
import type { ConversationInstance, StateTransition } from '@relay/core/api/instances';
import { readHere } from '@relay/core/approvals/read-here';
import { STATES } from '@relay/core/conversation/states';
import { useQuery } from '@tanstack/react-query';
import { tokensQuery } from '../../../data/queries.ts';
import { useNow } from '../../../data/use-now.ts';
import { Asked, LoadingLines } from '../../../parts/places.tsx';
import { Sentence } from '../../../parts/sentence.tsx';
import { STATES_SHOWN, stateWord } from '../../../parts/state-badge.tsx';
import { moment } from '../../../parts/times.ts';
import classes from './conversation.module.css';
import { transitionsQuery } from './queries.ts';
import { stepWords } from './words.ts';

/** Of a program as rows name it; null for everybody else. */
export function useProgramNamed() {
  const { data } = useQuery(tokensQuery);
  return (actor: string | null): string | null => {
    if (!actor?.startsWith('token:')) return null;
    return data?.tokens.find(({ id }) => `token:${id}` === actor)?.name ?? 'A program';
  };
}

export function History({ instance }: { readonly instance: ConversationInstance }) {
  const transitions = useQuery(transitionsQuery(instance.id));
  const programNamed = useProgramNamed();
  const now = useNow(60_000);
  return (
    <section aria-labelledby="history">
      <h2 id="history">How it got here</h2>
      <Asked query={transitions} what="The steps" loading={<LoadingLines lines={4} />}>
        {(steps) => (
          <ol className={classes.steps}>
            {steps.toReversed().map((step, index) => (
              <Step
                key={`${step.timestamp} ${step.from_state}`}
                step={step}
                isNow={index === 0}
                instance={instance}
                by={programNamed(step.caused_by) ?? 'You'}
                when={moment(step.timestamp, now)}
              />
            ))}
            <li data-hue="parked">
              <div>
                <b>{programNamed(instance.created_by) ?? 'You'} began it</b>
                <time dateTime={instance.created_at}>{moment(instance.created_at, now)}</time>
              </div>
            </li>
          </ol>
        )}
      </Asked>
    </section>
  );
}

interface StepProps {
  readonly step: StateTransition;
  readonly isNow: boolean;
  readonly instance: ConversationInstance;
  readonly by: string;
  readonly when: string;
}

function Step({ step, isNow, instance, by, when }: StepProps) {
  const state = step.to_state;
  const failure_reason = isNow ? instance.failure_reason : null;
  const isExplained = isNow && instance.reason !== STATES[instance.state];
  return (
    <li data-hue={STATES_SHOWN[state].hue} data-now={isNow || undefined}>
      <div>
        <b>{stateWord({ state, failure_reason })}</b>
        <time dateTime={step.timestamp}>{when}</time>
      </div>
      <p dir="auto">
        {stepWords(step, by)}
        {isExplained && (
          <>
            {' '}
            <Sentence text={readHere(instance.reason)} />
          </>
        )}
      </p>
    </li>
  );
}
