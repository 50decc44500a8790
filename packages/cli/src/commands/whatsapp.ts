// `relay whatsapp status` and `disconnect`: show the state and health of the link, or end the connection.
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatDuration, formatPhone, formatRows, toPrintable } from '../format.ts';

export const showWhatsappStatusCommand: RunCommand = async ({ config, terminal }) => {
  const link = await clientOf(config.home).get('/api/whatsapp/link');
  if (terminal.json) {
    terminal.writeJson(link);
    return 0;
  }
  const { bold, green, yellow } = terminal.colours;
  const light = link.status === 'connected' ? green('●') : yellow('●');
  terminal.writeLine(`${light} ${bold(toPrintable(link.sentence))}`);
  terminal.writeLine('');
  for (const line of formatLinkStatus(link, Date.now())) terminal.writeLine(toPrintable(line));
  return 0;
};

function formatLinkStatus(link: LinkBody, now: number): string[] {
  const { health } = link;
  const since = (text: string) => formatDuration((now - Date.parse(text)) / 1_000);
  const entries: (readonly [string, string | null])[] = [
    ['Number', link.phone === null ? null : formatPhone(link.phone)],
    ['Name', link.name],
    ['Cause', link.fault === null ? null : `${link.fault.sentence} ${link.fault.action}`],
    ['Since', `${since(link.since)} ago`],
    [
      'Next attempt',
      link.retryAt === null
        ? null
        : `in ${formatDuration((Date.parse(link.retryAt) - now) / 1_000)}`,
    ],
    [
      'First contacts',
      link.timeLockedUntil === null ? null : `blocked by WhatsApp until ${link.timeLockedUntil}`,
    ],
    ['Last data', health.lastStanzaAt === null ? null : `${since(health.lastStanzaAt)} ago`],
    ['Round trip', health.pingMs === null ? null : `${Math.round(health.pingMs)} ms`],
    ['Disconnects', `${health.flaps} in the last hour`],
    [
      'Received',
      `${formatCount(health.received, 'message')}, ${health.undecryptable} not decrypted`,
    ],
  ];
  return formatRows(
    entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}

// `relay whatsapp disconnect`: ends the connection; unlinks the account only when asked to.

export const disconnectWhatsappCommand: RunCommand = async ({ config, terminal, options }) => {
  const clearSession = options.clearSession === true;
  const body = { clearSession };
  const answer = await clientOf(config.home).post('/api/whatsapp/disconnect', { body });
  if (terminal.json) terminal.writeJson(answer);
  else if (clearSession)
    terminal.writeLine('Disconnected and unlinked. Link again with `relay init`.');
  else {
    terminal.writeLine(
      'Disconnected. The account stays linked; reconnect with `relay whatsapp connect`.',
    );
  }
  return 0;
};
