// Webhooks and deliveries as a person reads them. Pure.
import type { Webhook, WebhookDelivery } from '@relay/core/api/webhooks';
import { clock, count, oneLine, roughly } from '../format.ts';

interface Colours {
  bold(text: string): string;
  dim(text: string): string;
  yellow(text: string): string;
}

export const listedLines = (webhooks: readonly Webhook[], now: Date, colours: Colours): string[] =>
  webhooks.flatMap((webhook) => [
    `${colours.bold(oneLine(webhook.name))}  ${oneLine(webhook.url)}`,
    `  ${toldWords(webhook)}`,
    colours.dim(`  ${wentWords(webhook, now)}`),
    ...troubleOf(webhook, now).map((line) => colours.yellow(`  ${line}`)),
  ]);

function toldWords({ events, chats, directions, states, include_text }: Webhook): string {
  const where =
    chats === null
      ? ''
      : `; only ${chats.map(({ name, id }) => oneLine(name ?? id)).join(', ') || 'chats that are gone'}`;
  const which = [...(directions ?? []), ...(states ?? [])];
  const only = which.length === 0 ? '' : `; only ${which.join(', ')}`;
  return `${events.join(', ')}${where}${only}; ${include_text ? 'with' : 'without'} words and names`;
}

function wentWords({ last_delivered_at: last, pending }: Webhook, now: Date): string {
  const arrived = last === null ? 'Nothing has arrived yet' : `Last arrived ${ago(last, now)}`;
  return pending === 0 ? `${arrived}.` : `${arrived}; ${pending} on the way.`;
}

/** One that fails for a moment is tried again before anybody has read this. */
const WORTH_SAYING_MS = 60_000;

function troubleOf(
  { name, enabled, note, failing_since: since, dead }: Webhook,
  now: Date,
): string[] {
  const called = oneLine(name);
  const failing = since === null ? 0 : +now - Date.parse(since);
  return [
    ...(enabled ? [] : [`${note ?? 'It is off.'} \`relay webhook on ${called}\` begins again.`]),
    ...(enabled && failing >= WORTH_SAYING_MS
      ? [`Nothing has arrived for ${roughly(failing)}.`]
      : []),
    ...(dead === 0
      ? []
      : [
          `${count(dead, 'delivery', 'deliveries')} given up on: \`relay webhook replay ${called} --dead\`.`,
        ]),
  ];
}

const ago = (at: string, now: Date): string => `${roughly(+now - Date.parse(at))} ago`;

export const deliveryLines = (
  deliveries: readonly WebhookDelivery[],
  now: Date,
  colours: Colours,
): string[] =>
  deliveries.map((one) => {
    const line = `${colours.bold(one.id.slice(0, 8))}  ${clock(new Date(one.event_at), now).padEnd(11)}  ${one.type.padEnd(18)}  ${stateWords(one, now)}`;
    return one.state === 'dead' ? colours.yellow(line) : line;
  });

export function stateWords(one: WebhookDelivery, now: Date): string {
  const error = one.last_error === null ? '' : `: ${one.last_error}`;
  switch (one.state) {
    case 'delivered':
      return one.attempts <= 1 ? 'arrived' : `arrived at attempt ${one.attempts}`;
    case 'pending':
      return one.attempts === 0
        ? 'on its way'
        : `${again(one, now)} after ${count(one.attempts, 'attempt')}${error}`;
    case 'dead':
      return `given up after ${count(one.attempts, 'attempt')}${error}`;
    case 'dropped':
      return `not told${error}`;
  }
}

function again({ next_at: next }: WebhookDelivery, now: Date): string {
  const left = next === null ? 0 : Date.parse(next) - +now;
  return left <= 0 ? 'tried again now' : `tried again in ${roughly(left)}`;
}
