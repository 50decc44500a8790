// A time as the clocks of a zone show it. Pure: whoever asks names the zone.

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Mon 16 Nov, 09:00`, with the year where it is another. */
export function timeIn(zone: string, at: string, now: number): string {
  const year = (when: string | number) =>
    new Date(when).toLocaleString('en-GB', { timeZone: zone, year: 'numeric' });
  return new Date(at).toLocaleString('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(year(at) === year(now) ? {} : { year: 'numeric' }),
  });
}

/** The same time by the owner's own clocks; null where they show the same. */
export function timeForYou(zone: string, at: string, now: number): string | null {
  const own = timeIn(ownZone(), at, now);
  return own === timeIn(zone, at, now) ? null : `${own} for you`;
}

/** The day and the time apart, for the head of a row. */
export function dayAndTime(zone: string, at: string, now: number): { day: string; time: string } {
  const dateOf = (when: string | number) =>
    new Date(when).toLocaleDateString('en-GB', { timeZone: zone });
  const time = new Date(at).toLocaleTimeString('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
  });
  if (dateOf(at) === dateOf(now)) return { day: 'Today', time };
  if (dateOf(at) === dateOf(now + 86_400_000)) return { day: 'Tomorrow', time };
  return { day: timeIn(zone, at, now).replace(/, \d\d:\d\d$/, ''), time };
}
