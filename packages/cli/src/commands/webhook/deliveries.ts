// `relay webhook deliveries <name>`: what it was told, or is still to be told, and how that went.
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { deliveryLines } from '../../webhooks/words.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const { deliveries, cursor } = await clientOf(config.home).get(
    '/api/webhooks/{webhook}/deliveries',
    {
      path: { webhook: args[0] ?? '' },
      query: { limit: limitOf(options.limit), ...(options.dead ? { state: 'dead' } : {}) },
    },
  );
  if (terminal.json) terminal.give({ deliveries, cursor });
  else if (deliveries.length === 0) {
    terminal.progress(options.dead ? 'Nothing was given up on.' : 'It has been told nothing yet.');
  } else {
    for (const line of deliveryLines(deliveries, new Date(), terminal.colours)) terminal.say(line);
  }
  return 0;
};

const MOST = 200;

function limitOf(given: unknown): number {
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw new RelayError('usage', { what: `Give --limit a number from 1 to ${MOST}.` });
}
