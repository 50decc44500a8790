// `relay webhook add <url>`: what happens from now on is told there. The secret is shown when it is made and
// never again.
import type { CreateWebhook } from '@relay/core/api/webhooks';
import { RelayError } from '@relay/core/errors';
import { WEBHOOK_EVENTS } from '@relay/core/webhooks/kinds';
import { clientOf } from '../../api.ts';
import type { Options, Run } from '../../command.ts';
import { listedLines } from '../../webhooks/words.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const made = await clientOf(config.home).post('/api/webhooks', {
    body: { url: args[0] ?? '', ...wishOf(options) },
  });
  if (terminal.json) {
    terminal.give(made);
    return 0;
  }
  for (const line of listedLines([made], new Date(), terminal.colours)) terminal.say(line);
  terminal.say(`Secret: ${made.secret}`);
  terminal.note('It is shown this once. The receiver checks with it that it is Relay who tells.');
  terminal.note(`\`relay webhook test ${made.name}\` sends a ping.`);
  return 0;
};

type Wish = {
  [Part in 'name' | 'events' | 'chats' | 'directions' | 'states' | 'include_text']?: Exclude<
    CreateWebhook[Part],
    undefined
  >;
};

function wishOf({ name, events, chat, direction, states, includeText }: Options): Wish {
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof events === 'string' ? { events: kindsIn(events) } : {}),
    ...(chat === undefined ? {} : { chats: [chat].flat().map(String) }),
    ...(direction === undefined ? {} : { directions: [wayOf(direction)] }),
    ...(typeof states === 'string' ? { states: parts(states) } : {}),
    ...(includeText === true ? { include_text: true } : {}),
  };
}

const parts = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const kindsIn = (text: string): CreateWebhook['events'] =>
  parts(text).map((part) => {
    const kind = WEBHOOK_EVENTS.find((one) => one === part);
    if (kind !== undefined) return kind;
    throw new RelayError('usage', { what: `Give --events of ${WEBHOOK_EVENTS.join(', ')}.` });
  });

function wayOf(given: unknown): 'in' | 'out' {
  if (given === 'in' || given === 'out') return given;
  throw new RelayError('usage', { what: 'Give --direction in or out.' });
}
