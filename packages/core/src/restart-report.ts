// The restart report: one sentence about what happened while the daemon or its link was offline. The store counts the
// figures.
import type { RestartReport } from '@relay/contract/api/status';

/** A short interruption of the link without missed messages is not reported. */
export const isWorthReporting = (report: RestartReport): boolean =>
  report.cause === 'daemon' ||
  report.messages > 0 ||
  report.unknownSends > 0 ||
  awayMs(report) >= 60_000;

const awayMs = ({ since, until }: RestartReport): number =>
  Math.max(0, Date.parse(until) - Date.parse(since));

export function reportSentence(report: RestartReport): string {
  const { cause, messages, chats, unknownSends, needsYou } = report;
  const what = cause === 'link' ? 'WhatsApp was disconnected' : 'Relay was offline';
  const received =
    messages === 0
      ? 'no messages missed'
      : `${count(messages, 'message')} received from ${count(chats, 'chat')}`;
  const parts = [received];
  if (unknownSends > 0) parts.push(`delivery of ${count(unknownSends, 'message')} unknown`);
  if (needsYou > 0) {
    parts.push(`${count(needsYou, 'item')} ${needsYou === 1 ? 'needs' : 'need'} you`);
  }
  return `${what} for ${awayDuration(awayMs(report))}: ${parts.join(', ')}.`;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The largest unit and the one below it: `1 h 2 min`, `3 d`, `45 s`. */
export function awayDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const largest = UNITS.findIndex(([, length]) => seconds >= length);
  if (largest === -1) return '0 s';
  let left = seconds;
  const parts: string[] = [];
  for (const [unit, length] of UNITS.slice(largest, largest + 2)) {
    const whole = Math.floor(left / length);
    if (whole > 0) parts.push(`${whole} ${unit}`);
    left -= whole * length;
  }
  return parts.join(' ');
}
