// Webhooks. Part of the one table of errors in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const WEBHOOKS = {
  webhook_not_found: {
    status: 404,
    exit: 4,
    sentence: 'No webhook is called {webhook}. `relay webhook list` shows them.',
  },
  webhook_exists: {
    status: 409,
    exit: 5,
    sentence: 'A webhook called {webhook} is there already. Give this one another --name.',
  },
  webhook_too_many: {
    status: 409,
    exit: 5,
    sentence: 'There are {most} webhooks already, and no more are kept. Remove one first.',
  },
  webhook_url: {
    status: 400,
    exit: 2,
    sentence:
      'The address of a webhook holds no name and password. Leave them out: the signature says who sends.',
  },
  delivery_not_found: {
    status: 404,
    exit: 4,
    sentence: 'No delivery {delivery} is on record. `relay webhook deliveries` shows them.',
  },
} as const satisfies Record<string, ErrorSpec>;
