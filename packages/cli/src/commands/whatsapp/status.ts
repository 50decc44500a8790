// `relay whatsapp status`: the link in its sentence, and how healthy it is.
import type { LinkBody } from '@relay/core/api/link';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { count, duration, phone, printable, rows } from '../../format.ts';

export const run: Run = async ({ config, terminal }) => {
  const link = await clientOf(config.home).get('/api/whatsapp/link');
  if (terminal.json) {
    terminal.give(link);
    return 0;
  }
  const { bold, green, yellow } = terminal.colours;
  const light = link.status === 'connected' ? green('●') : yellow('●');
  terminal.say(`${light} ${bold(printable(link.sentence))}`);
  terminal.say('');
  for (const line of describe(link, Date.now())) terminal.say(printable(line));
  return 0;
};

export function describe(link: LinkBody, now: number): string[] {
  const { health } = link;
  const since = (text: string) => duration((now - Date.parse(text)) / 1_000);
  const entries: (readonly [string, string | null])[] = [
    ['Number', link.phone === null ? null : phone(link.phone)],
    ['Name', link.name],
    ['Since', `${since(link.since)} ago`],
    [
      'Next try',
      link.retryAt === null ? null : `in ${duration((Date.parse(link.retryAt) - now) / 1_000)}`,
    ],
    ['New people', link.timeLockedUntil === null ? null : `not before ${link.timeLockedUntil}`],
    [
      'Last sign of life',
      health.lastStanzaAt === null ? null : `${since(health.lastStanzaAt)} ago`,
    ],
    ['Round trip', health.pingMs === null ? null : `${Math.round(health.pingMs)} ms`],
    ['Last hour', `${count(health.flaps, 'lost connection')}`],
    ['Received', `${health.received}, ${health.undecryptable} of them unreadable`],
  ];
  return rows(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
}
