// Names of weekdays and time zones in schedules, settings and API calls.

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A format that shows a zone's offset from UTC; null if no IANA time zone has this name. */
export function zoneFormat(name: string): Intl.DateTimeFormat | null {
  // Intl also takes offsets such as +02:00.
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return null;
  }
}

export const isZoneName = (name: string): boolean => zoneFormat(name) !== null;
