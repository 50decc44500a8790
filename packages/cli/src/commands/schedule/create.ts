// `relay schedule "every weekday 9am" --to Mom "…"`: shows what was understood and the next three times, and
// saves exactly that with a yes. Without anything it lists what is scheduled.
import type { SchedulePreview } from '@relay/core/api/schedules';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Call, Run } from '../../command.ts';
import { ask, canAsk } from '../../prompt.ts';
import { requestOf } from '../../schedules/request.ts';
import { described, shortId } from '../../schedules/words.ts';
import { run as list } from './list.ts';

export const run: Run = async (call) => {
  const { config, terminal, args, options } = call;
  if (args.length === 0 && Object.keys(options).every((name) => name === 'json')) return list(call);
  const wish = requestOf(args, options);
  const client = clientOf(config.home);
  const preview = await client.post('/api/schedules/preview', { body: wish });
  if (options.once !== undefined && preview.rule.kind !== 'once') {
    throw new RelayError('usage', {
      what: `"${options.once}" is not one time, but ${preview.words}.`,
    });
  }
  if (!(await isWanted(call, preview))) return 1;
  const { rule, zone, catch_up } = preview;
  const { to, text } = wish;
  // What was shown, not what was typed: "in 2 hours" is another moment by now.
  const made = await client.post('/api/schedules', { body: { to, text, rule, zone, catch_up } });
  if (terminal.json) terminal.give(made);
  else terminal.say(`Scheduled. \`relay schedule cancel ${shortId(made.id)}\` takes it back.`);
  return 0;
};

async function isWanted({ terminal, options }: Call, preview: SchedulePreview): Promise<boolean> {
  if (!terminal.json) {
    const columns = terminal.size?.columns ?? null;
    for (const line of described(preview, { columns, colours: terminal.colours }))
      terminal.say(line);
  }
  if (options.yes === true) return true;
  if (terminal.json || !canAsk()) {
    throw new RelayError('usage', {
      what: 'Nothing was saved: say --yes to save it without being asked.',
    });
  }
  if (/^y(es)?$/i.test(await ask('Save it? [y/N] '))) return true;
  terminal.note('Nothing was saved.');
  return false;
}
