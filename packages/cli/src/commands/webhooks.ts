// `relay webhook`: adds, lists, tests and removes webhooks, and shows their deliveries. A secret is shown only when it
// is created.

import type { CreateWebhook, Webhook, WebhookDelivery } from '@relay/contract/api/webhooks';
import { RelayError } from '@relay/contract/errors';
import { WEBHOOK_EVENT_TYPES } from '@relay/contract/webhooks/event-types';
import { clientOf } from '../api.ts';
import type { CommandOptions, RunCommand } from '../command.ts';
import { formatClock, formatCount, formatRoughDuration, toOneLine } from '../format.ts';

export const addWebhookCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const made = await clientOf(config.home).post('/api/webhooks', {
    body: {
      url: args[0] ?? '',
      ...parseWebhookOptions(options),
      ...(options.verify === false ? { verify: false } : {}),
    },
  });
  if (terminal.json) {
    terminal.writeJson(made);
    return 0;
  }
  for (const line of formatWebhooks([made], new Date(), terminal.colours)) terminal.writeLine(line);
  terminal.writeLine(`Secret: ${made.secret}`);
  terminal.note('Shown only once. The receiver uses it to check that events come from Relay.');
  terminal.note(`Send a test event with \`relay webhook test ${made.name}\`.`);
  return 0;
};

type WebhookOptions = {
  [Part in 'name' | 'events' | 'chats' | 'directions' | 'states' | 'include_text']?: Exclude<
    CreateWebhook[Part],
    undefined
  >;
};

function parseWebhookOptions({
  name,
  events,
  chat,
  direction,
  states,
  includeText,
}: CommandOptions): WebhookOptions {
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof events === 'string' ? { events: parseEventKinds(events) } : {}),
    ...(chat === undefined ? {} : { chats: [chat].flat().map(String) }),
    ...(direction === undefined ? {} : { directions: [parseDirection(direction)] }),
    ...(typeof states === 'string' ? { states: splitList(states) } : {}),
    ...(includeText === true ? { include_text: true } : {}),
  };
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const parseEventKinds = (text: string): CreateWebhook['events'] =>
  splitList(text).map((part) => {
    const kind = WEBHOOK_EVENT_TYPES.find((one) => one === part);
    if (kind !== undefined) return kind;
    throw new RelayError('usage', {
      what: `Give --events one or more of ${WEBHOOK_EVENT_TYPES.join(', ')}.`,
    });
  });

function parseDirection(given: unknown): 'in' | 'out' {
  if (given === 'in' || given === 'out') return given;
  throw new RelayError('usage', { what: 'Give --direction in or out.' });
}

// `relay webhook list`: each webhook with its events and state.

export const listWebhooksCommand: RunCommand = async ({ config, terminal }) => {
  const { webhooks } = await clientOf(config.home).get('/api/webhooks');
  if (terminal.json) terminal.writeJson(webhooks);
  else if (webhooks.length === 0) {
    terminal.notice('No webhooks. Add one with `relay webhook add <url>`.');
  } else {
    for (const line of formatWebhooks(webhooks, new Date(), terminal.colours))
      terminal.writeLine(line);
  }
  return 0;
};

// `relay webhook remove <name>`: stops all deliveries to it.

export const removeWebhookCommand: RunCommand = async ({ config, terminal, args }) => {
  const removed = await clientOf(config.home).delete('/api/webhooks/{webhook}', {
    path: { webhook: args[0] ?? '' },
  });
  if (terminal.json) terminal.writeJson(removed);
  else terminal.writeLine(`Removed the webhook ${toOneLine(removed.name)}.`);
  return 0;
};

// `relay webhook test <name>`: sends a test event now and shows the result.

export const testWebhookCommand: RunCommand = async ({ config, terminal, args }) => {
  const ping = await clientOf(config.home).post('/api/webhooks/{webhook}/test', {
    path: { webhook: args[0] ?? '' },
  });
  const delivered = ping.state === 'delivered';
  if (terminal.json) terminal.writeJson(ping);
  else if (delivered)
    terminal.writeLine(`Test event delivered. The receiver answered with ${ping.last_status}.`);
  else terminal.writeLine(`Test event not delivered. ${ping.last_error ?? ''}`.trim());
  return delivered ? 0 : 1;
};

// `relay webhook deliveries <name>`: past and pending deliveries with their results.

export const listWebhookDeliveriesCommand: RunCommand = async ({
  config,
  terminal,
  args,
  options,
}) => {
  const { deliveries, cursor } = await clientOf(config.home).get(
    '/api/webhooks/{webhook}/deliveries',
    {
      path: { webhook: args[0] ?? '' },
      query: {
        limit: parseDeliveryLimit(options.limit),
        ...(options.dead ? { state: 'dead' } : {}),
      },
    },
  );
  if (terminal.json) terminal.writeJson({ deliveries, cursor });
  else if (deliveries.length === 0) {
    terminal.notice(options.dead ? 'No failed deliveries.' : 'No deliveries yet.');
  } else {
    for (const line of formatDeliveries(deliveries, new Date(), terminal.colours))
      terminal.writeLine(line);
  }
  return 0;
};

const MAX_DELIVERIES = 200;

function parseDeliveryLimit(given: unknown): number {
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_DELIVERIES) return limit;
  throw new RelayError('usage', { what: `Give --limit a number from 1 to ${MAX_DELIVERIES}.` });
}

// `relay webhook replay <name> <id>`: delivers an event again under the same id; `--dead` replays all failed ones.

export const replayWebhookDeliveriesCommand: RunCommand = async ({
  config,
  terminal,
  args,
  options,
}) => {
  const [webhook = '', delivery] = args;
  const client = clientOf(config.home);
  if ((delivery === undefined) === (options.dead !== true)) {
    throw new RelayError('usage', {
      what: 'Give the id of a delivery, or --dead for all failed deliveries.',
    });
  }
  if (delivery === undefined) {
    const { replayed } = await client.post('/api/webhooks/{webhook}/replay', { path: { webhook } });
    if (terminal.json) terminal.writeJson({ replayed });
    else terminal.writeLine(`${formatCount(replayed, 'delivery', 'deliveries')} queued again.`);
    return 0;
  }
  const again = await client.post('/api/webhooks/{webhook}/deliveries/{delivery}/replay', {
    path: { webhook, delivery },
  });
  if (terminal.json) terminal.writeJson(again);
  else terminal.writeLine(`${again.type} ${again.id.slice(0, 8)} is queued again.`);
  return 0;
};

// `relay webhook rotate <name>`: creates a new secret and shows it once.

export const rotateWebhookSecretCommand: RunCommand = async ({ config, terminal, args }) => {
  const webhook = await clientOf(config.home).post('/api/webhooks/{webhook}/rotate', {
    path: { webhook: args[0] ?? '' },
  });
  if (terminal.json) {
    terminal.writeJson(webhook);
    return 0;
  }
  terminal.writeLine(`Secret: ${webhook.secret}`);
  terminal.note('Shown only once. The old secret stays valid for 1 day: update the receiver.');
  return 0;
};

// `relay webhook on|off <name>`.

const createWebhookSwitch =
  (enabled: boolean): RunCommand =>
  async ({ config, terminal, args }) => {
    const webhook = await clientOf(config.home).patch('/api/webhooks/{webhook}', {
      path: { webhook: args[0] ?? '' },
      body: { enabled },
    });
    const name = toOneLine(webhook.name);
    if (terminal.json) terminal.writeJson(webhook);
    else if (enabled) terminal.writeLine(`${name} is on.`);
    else terminal.writeLine(`${name} is off and receives no events.`);
    return 0;
  };

// `relay webhook on <name>`.

export const enableWebhookCommand = createWebhookSwitch(true);

// `relay webhook off <name>`.

export const disableWebhookCommand = createWebhookSwitch(false);

// Formats webhooks and deliveries. Pure.

interface Colours {
  bold(text: string): string;
  dim(text: string): string;
  yellow(text: string): string;
}

export const formatWebhooks = (
  webhooks: readonly Webhook[],
  now: Date,
  colours: Colours,
): string[] =>
  webhooks.flatMap((webhook) => [
    `${colours.bold(toOneLine(webhook.name))}  ${toOneLine(webhook.url)}`,
    `  ${describeSubscription(webhook)}`,
    colours.dim(`  ${describeLastDelivery(webhook, now)}`),
    ...listWebhookTroubles(webhook, now).map((line) => colours.yellow(`  ${line}`)),
  ]);

function describeSubscription({
  events,
  chats,
  directions,
  states,
  include_text,
}: Webhook): string {
  const where =
    chats === null
      ? ''
      : `; only ${chats.map(({ name, id }) => toOneLine(name ?? id)).join(', ') || 'erased chats'}`;
  const which = [...(directions ?? []), ...(states ?? [])];
  const only = which.length === 0 ? '' : `; only ${which.join(', ')}`;
  return `${events.join(', ')}${where}${only}; ${include_text ? 'with' : 'without'} texts and names`;
}

function describeLastDelivery({ last_delivered_at: last, pending }: Webhook, now: Date): string {
  const delivered = last === null ? 'No deliveries yet' : `Last delivery ${ago(last, now)}`;
  return pending === 0 ? `${delivered}.` : `${delivered}; ${pending} queued.`;
}

/** Shorter failures are not shown: the next attempt usually succeeds. */
const SHOWN_FAILURE_MS = 60_000;

function listWebhookTroubles(
  { name, enabled, note, failing_since: since, dead }: Webhook,
  now: Date,
): string[] {
  const called = toOneLine(name);
  const failing = since === null ? 0 : +now - Date.parse(since);
  return [
    ...(enabled ? [] : [`${note ?? 'It is off.'} Turn it on with \`relay webhook on ${called}\`.`]),
    ...(enabled && failing >= SHOWN_FAILURE_MS
      ? [`Deliveries have been failing for ${formatRoughDuration(failing)}.`]
      : []),
    ...(dead === 0
      ? []
      : [
          `${formatCount(dead, 'failed delivery', 'failed deliveries')}. Send again with \`relay webhook replay ${called} --dead\`.`,
        ]),
  ];
}

const ago = (at: string, now: Date): string => `${formatRoughDuration(+now - Date.parse(at))} ago`;

export const formatDeliveries = (
  deliveries: readonly WebhookDelivery[],
  now: Date,
  colours: Colours,
): string[] =>
  deliveries.map((one) => {
    const line = `${colours.bold(one.id.slice(0, 8))}  ${formatClock(new Date(one.event_at), now).padEnd(11)}  ${one.type.padEnd(18)}  ${describeDeliveryState(one, now)}`;
    return one.state === 'dead' ? colours.yellow(line) : line;
  });

function describeDeliveryState(one: WebhookDelivery, now: Date): string {
  const error = one.last_error === null ? '' : `: ${one.last_error}`;
  switch (one.state) {
    case 'delivered':
      return one.attempts <= 1 ? 'delivered' : `delivered after ${one.attempts} attempts`;
    case 'pending':
      return one.attempts === 0
        ? 'queued'
        : `${describeRetry(one, now)} after ${formatCount(one.attempts, 'attempt')}${error}`;
    case 'dead':
      return `failed after ${formatCount(one.attempts, 'attempt')}${error}`;
    case 'dropped':
      return `not sent${error}`;
  }
}

function describeRetry({ next_at: next }: WebhookDelivery, now: Date): string {
  const left = next === null ? 0 : Date.parse(next) - +now;
  return left <= 0 ? 'retrying now' : `next attempt in ${formatRoughDuration(left)}`;
}
