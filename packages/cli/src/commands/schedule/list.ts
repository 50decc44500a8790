// `relay schedule list`: what is to come, the next first, and what did not go out.
import type { ScheduleFilter } from '@relay/core/api/schedules';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { listed } from '../../schedules/words.ts';

const STATES = ['active', 'done', 'cancelled', 'all'] as const;

export const run: Run = async ({ config, terminal, options }) => {
  const state = stateNamed(options.state);
  const schedules = await clientOf(config.home).get('/api/schedules', { query: { state } });
  if (terminal.json) terminal.give(schedules);
  else if (schedules.length === 0) {
    terminal.progress(
      state === 'active'
        ? 'Nothing is scheduled. `relay schedule "every weekday 9am" --to me "…"` is how to begin.'
        : 'There is none.',
    );
  } else {
    const columns = terminal.size?.columns ?? null;
    for (const line of listed(schedules, { columns, colours: terminal.colours }))
      terminal.say(line);
  }
  return 0;
};

function stateNamed(given: unknown): ScheduleFilter {
  const known = STATES.find((state) => state === (given ?? 'active'));
  if (known !== undefined) return known;
  throw new RelayError('usage', { what: `Give --state one of ${STATES.join(', ')}.` });
}
