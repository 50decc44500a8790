// `relay token list`: the tokens of programs, by name.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { listed } from '../../tokens/words.ts';

export const run: Run = async ({ config, terminal }) => {
  const { tokens } = await clientOf(config.home).get('/api/tokens');
  if (terminal.json) terminal.give(tokens);
  else if (tokens.length === 0) {
    terminal.progress(
      'No program has a token. `relay token create --name claude --scopes messages:read` makes one.',
    );
  } else {
    const columns = terminal.size?.columns ?? null;
    const look = { columns, colours: terminal.colours, now: new Date() };
    for (const line of listed(tokens, look)) terminal.say(line);
  }
  return 0;
};
