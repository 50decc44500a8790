// What the conversation is for: its objective, what is done of it, what may be told, and when it follows up.
import type { ConversationInstance, Todo } from '@relay/core/api/instances';
import { IconCircle, IconCircleCheck, IconCircleHalf2, IconCircleX } from '@tabler/icons-react';
import { useNow } from '../../../data/use-now.ts';
import type { StateShown } from '../../../parts/marks.tsx';
import parts from '../../../parts/parts.module.css';
import { moment, span } from '../../../parts/times.ts';
import classes from './conversation.module.css';

const TODOS: Readonly<Record<Todo['status'], StateShown>> = {
  pending: { word: 'To do', icon: IconCircle, hue: 'parked' },
  in_progress: { word: 'In progress', icon: IconCircleHalf2, hue: 'agent' },
  completed: { word: 'Done', icon: IconCircleCheck, hue: 'ok' },
  skipped: { word: 'Left out', icon: IconCircleX, hue: 'parked' },
};

export const doneOf = ({ todos }: Pick<ConversationInstance, 'todos'>): string =>
  `${todos.filter(({ status }) => status === 'completed').length} of ${todos.length}`;

export function Plan({ instance }: { readonly instance: ConversationInstance }) {
  const { objective, todos, facts } = instance;
  return (
    <>
      <section aria-labelledby="objective">
        <h2 id="objective">Objective</h2>
        <p dir="auto">{objective}</p>
      </section>
      {todos.length > 0 && (
        <section aria-labelledby="todos">
          <h2 id="todos">
            To do <span className="dim num">{doneOf(instance)}</span>
          </h2>
          <ul className={classes.todos}>
            {todos.map(({ id, text, status }) => {
              const { word, icon: Icon, hue } = TODOS[status];
              return (
                <li key={id} data-status={status}>
                  <span data-hue={hue}>
                    <Icon size={16} aria-hidden />
                    <span className="unseen">{word}:</span>
                  </span>
                  <span dir="auto">{text}</span>
                </li>
              );
            })}
          </ul>
        </section>
      )}
      {facts.length > 0 && (
        <section aria-labelledby="facts">
          <h2 id="facts">May be told</h2>
          <ul className={classes.told}>
            {facts.map((fact) => (
              <li key={fact} dir="auto">
                {fact}
              </li>
            ))}
          </ul>
        </section>
      )}
      <FollowUps instance={instance} />
    </>
  );
}

function FollowUps({ instance }: { readonly instance: ConversationInstance }) {
  const now = useNow();
  const { heartbeat_config, follow_up_count, next_follow_up_at } = instance;
  return (
    <section aria-labelledby="follow-ups">
      <h2 id="follow-ups">Follow-ups</h2>
      <dl className={`${parts.facts} num`}>
        <dt>Used</dt>
        <dd>
          {follow_up_count} of {heartbeat_config.max_followups}
        </dd>
        <dt>After a silence of</dt>
        <dd>{span(heartbeat_config.interval_ms)}</dd>
        <dt>Next</dt>
        <dd>
          {next_follow_up_at === null
            ? 'none is due'
            : `in ${span(Date.parse(next_follow_up_at) - now)}, ${moment(next_follow_up_at, now)}`}
        </dd>
      </dl>
    </section>
  );
}
