// All operations of version 1, and the headers of their responses.
import type { App } from '../app.ts';
import { isV1 } from '../errors.ts';
import { EVERYBODY, type Limiter } from '../guard.ts';
import { approvalOperations, scheduleOperations } from './approvals.ts';
import { conversationOperations } from './conversations.ts';
import { eventOperations } from './events.ts';
import { mediaOperations } from './media.ts';
import { accountOperations, messageOperations } from './messages.ts';
import type { V1Context } from './operation.ts';
import { ownerOperations } from './owner.ts';
import { contactOperations } from './people.ts';
import { webhookOperations } from './webhooks.ts';

export function v1Routes(app: App, context: V1Context): void {
  accountOperations(app, context);
  conversationOperations(app, context);
  messageOperations(app, context);
  mediaOperations(app, context);
  contactOperations(app, context);
  approvalOperations(app, context);
  scheduleOperations(app, context);
  eventOperations(app, context);
  webhookOperations(app, context);
  ownerOperations(app, context);
}

/** On every response of version 1, errors included: the request's id, and how many requests are left. */
export function v1Headers(
  app: App,
  { requests, failures }: { readonly requests: Limiter; readonly failures: Limiter },
): void {
  app.addHook('onSend', async (request, reply) => {
    if (!isV1(request)) return;
    const { principal } = request;
    const { limit, left, resetSeconds } =
      principal === null ? failures.state(EVERYBODY) : requests.state(principal.hash);
    reply.headers({
      'x-request-id': request.id,
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(left),
      'ratelimit-reset': String(resetSeconds),
    });
  });
}
