// Webhooks as routes and commands see them. Each is named by its name or its id; every refusal is a RelayError
// from the one table.
import type {
  ChangeWebhook,
  CreateWebhook,
  Deliveries,
  ListDeliveries,
  Webhook,
  WebhookDelivery,
  WebhookSecret,
} from '../api/webhooks.ts';

export interface WebhookVerbs {
  list(): Promise<readonly Webhook[]>;
  create(wish: CreateWebhook): Promise<WebhookSecret>;
  change(webhook: string, changed: ChangeWebhook): Promise<Webhook>;
  /** A new secret; for a day the one before signs too. */
  rotate(webhook: string): Promise<WebhookSecret>;
  /** It and the record of what it was told. */
  remove(webhook: string): Promise<Webhook>;
  /** Sends a `ping` once, now, and says how that went. */
  test(webhook: string): Promise<WebhookDelivery>;
  deliveries(webhook: string, query: ListDeliveries): Promise<Deliveries>;
  /** Tells one again, under the same id. */
  replay(webhook: string, delivery: string): Promise<WebhookDelivery>;
  /** Tells all again that were given up on. Returns how many. */
  replayDead(webhook: string): Promise<number>;
}
