// `relay contacts [query]`: whom Relay knows and what is granted to each; with --knocks, who waits at the door.
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { count, oneLine } from '../../format.ts';
import { table } from '../../people/table.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new RelayError('usage', { what: 'Give --limit a whole number, 500 at most.' });
  }
  const query = args[0]?.trim() ?? '';
  const { contacts } = await clientOf(config.home).get('/api/contacts', {
    query: {
      limit,
      ...(query === '' ? {} : { query }),
      ...(options.knocks === true ? { knocks: 'only' as const } : {}),
    },
  });
  if (terminal.json) {
    terminal.give(contacts);
    return 0;
  }
  if (contacts.length === 0) {
    terminal.progress(nobody(query, options.knocks === true));
    return 0;
  }
  const look = {
    columns: terminal.size?.columns ?? null,
    colours: terminal.colours,
    now: new Date(),
  };
  for (const line of table(contacts, look)) terminal.say(line);
  const knocking = contacts.filter(({ knocks }) => knocks !== null).length;
  if (knocking > 0) {
    terminal.note(
      `${count(knocking, 'contact')} wrote without a grant and got no answer: \`relay grant <who> --read --reply\` lets agents answer, \`relay contacts dismiss <who>\` hides the knock.`,
    );
  }
  return 0;
};

function nobody(query: string, knocks: boolean): string {
  if (query !== '') return `Nobody here is called ${oneLine(query)}.`;
  return knocks ? 'Nobody knocked.' : 'Nobody yet. `relay grant <number> --read` names the first.';
}
