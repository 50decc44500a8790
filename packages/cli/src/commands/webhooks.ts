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
    body: { url: args[0] ?? '', ...parseWebhookOptions(options) },
  });
  if (terminal.json) {
    terminal.writeJson(made);
    return 0;
  }
  for (const line of formatWebhooks([made], new Date(), terminal.colours)) terminal.writeLine(line);
  terminal.writeLine(`Secret: ${made.secret}`);
  terminal.note('It is shown this once. The receiver checks with it that it is Relay who tells.');
  terminal.note(`\`relay webhook test ${made.name}\` sends a ping.`);
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
    throw new RelayError('usage', { what: `Give --events of ${WEBHOOK_EVENT_TYPES.join(', ')}.` });
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
    terminal.progress('There is no webhook. `relay webhook add <url>` makes one.');
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
  else terminal.writeLine(`${toOneLine(removed.name)} receives no more events.`);
  return 0;
};

// `relay webhook test <name>`: sends a ping now and shows the result.

export const testWebhookCommand: RunCommand = async ({ config, terminal, args }) => {
  const ping = await clientOf(config.home).post('/api/webhooks/{webhook}/test', {
    path: { webhook: args[0] ?? '' },
  });
  const arrived = ping.state === 'delivered';
  if (terminal.json) terminal.writeJson(ping);
  else if (arrived)
    terminal.writeLine(`The ping arrived: it was answered with ${ping.last_status}.`);
  else terminal.writeLine(`The ping did not arrive. ${ping.last_error ?? ''}`.trim());
  return arrived ? 0 : 1;
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
    terminal.progress(options.dead ? 'Nothing was given up on.' : 'It has been told nothing yet.');
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
      what: 'Name one delivery, or say --dead for all given up on.',
    });
  }
  if (delivery === undefined) {
    const { replayed } = await client.post('/api/webhooks/{webhook}/replay', { path: { webhook } });
    if (terminal.json) terminal.writeJson({ replayed });
    else terminal.writeLine(`${formatCount(replayed, 'delivery', 'deliveries')} on the way again.`);
    return 0;
  }
  const again = await client.post('/api/webhooks/{webhook}/deliveries/{delivery}/replay', {
    path: { webhook, delivery },
  });
  if (terminal.json) terminal.writeJson(again);
  else terminal.writeLine(`${again.type} ${again.id.slice(0, 8)} is on the way again.`);
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
  terminal.note('It is shown this once. For a day the one before signs too: change the receiver.');
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
    else if (enabled) terminal.writeLine(`${name} receives events from now on.`);
    else terminal.writeLine(`${name} receives no events until it is on again.`);
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
      : `; only ${chats.map(({ name, id }) => toOneLine(name ?? id)).join(', ') || 'chats that are gone'}`;
  const which = [...(directions ?? []), ...(states ?? [])];
  const only = which.length === 0 ? '' : `; only ${which.join(', ')}`;
  return `${events.join(', ')}${where}${only}; ${include_text ? 'with' : 'without'} words and names`;
}

function describeLastDelivery({ last_delivered_at: last, pending }: Webhook, now: Date): string {
  const arrived = last === null ? 'Nothing has arrived yet' : `Last arrived ${ago(last, now)}`;
  return pending === 0 ? `${arrived}.` : `${arrived}; ${pending} on the way.`;
}

/** A shorter failure is retried before anybody has read about it. */
const WORTH_SAYING_MS = 60_000;

function listWebhookTroubles(
  { name, enabled, note, failing_since: since, dead }: Webhook,
  now: Date,
): string[] {
  const called = toOneLine(name);
  const failing = since === null ? 0 : +now - Date.parse(since);
  return [
    ...(enabled ? [] : [`${note ?? 'It is off.'} \`relay webhook on ${called}\` begins again.`]),
    ...(enabled && failing >= WORTH_SAYING_MS
      ? [`Nothing has arrived for ${formatRoughDuration(failing)}.`]
      : []),
    ...(dead === 0
      ? []
      : [
          `${formatCount(dead, 'delivery', 'deliveries')} given up on: \`relay webhook replay ${called} --dead\`.`,
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
      return one.attempts <= 1 ? 'arrived' : `arrived at attempt ${one.attempts}`;
    case 'pending':
      return one.attempts === 0
        ? 'on its way'
        : `${describeRetry(one, now)} after ${formatCount(one.attempts, 'attempt')}${error}`;
    case 'dead':
      return `given up after ${formatCount(one.attempts, 'attempt')}${error}`;
    case 'dropped':
      return `not told${error}`;
  }
}

function describeRetry({ next_at: next }: WebhookDelivery, now: Date): string {
  const left = next === null ? 0 : Date.parse(next) - +now;
  return left <= 0 ? 'tried again now' : `tried again in ${formatRoughDuration(left)}`;
}
