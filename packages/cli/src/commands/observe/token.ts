// `relay observe token`: the token that forwarders of notifications use. It is shown when it is made and
// never again; without options one is made only if there is none.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const client = clientOf(config.home);
  if (options.revoke) {
    await client.delete('/api/ingest/token');
    if (terminal.json) terminal.give({ exists: false });
    else terminal.say('Notifications are no longer taken: the token is worth nothing.');
    return 0;
  }
  const state = await client.get('/api/ingest/token');
  if (state.exists && !options.rotate) {
    if (terminal.json) terminal.give(state);
    else for (const line of described(state)) terminal.say(line);
    return 0;
  }
  const { token } = await client.post('/api/ingest/token');
  if (terminal.json) {
    terminal.give({ token });
    return 0;
  }
  terminal.say(token);
  terminal.note(
    'It is shown this once. It can hand in notifications of observed groups and nothing else.',
  );
  if (state.exists) terminal.note('The one before it no longer works.');
  return 0;
};

interface State {
  readonly created_at: string | null;
  readonly last_used_at: string | null;
}

const described = ({ created_at, last_used_at }: State): string[] => [
  `There is a token since ${day(created_at)}; it was ${last_used_at === null ? 'never used' : `last used on ${day(last_used_at)}`}.`,
  'It cannot be shown again. `relay observe token --rotate` makes a new one, `--revoke` ends it.',
];

const day = (at: string | null): string => at?.slice(0, 10) ?? 'some day';
