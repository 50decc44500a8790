// The time of day in what somebody typed: found and taken out, so that the rest says which days. Pure.

export interface Timed {
  /** HH:MM; null when none was given. */
  readonly time: string | null;
  /** What is left, in small letters, single spaces. */
  readonly rest: string;
}

const NAMED: Readonly<Record<string, string>> = {
  noon: '12:00',
  midday: '12:00',
  midnight: '00:00',
};

/** The certain ways to write a time first; a bare number only where it stands at the end. */
const WAYS: readonly RegExp[] = [
  /(?:^| )(?:at )?(?<hour>\d{1,2}):(?<minute>\d{2})(?: ?(?<half>am|pm))?(?= |$)/,
  /(?:^| )(?:at )?(?<hour>\d{1,2}) ?(?<half>am|pm)(?= |$)/,
  /(?:^| )(?:at )?(?<name>noon|midday|midnight)(?= |$)/,
  /(?:^| )at (?<hour>\d{1,2})(?: o['’]?clock)?(?= |$)/,
  /(?<=[a-z] )(?<hour>\d{1,2})$/,
];
const PART =
  /(?: in the| this)? (?<part>morning|afternoon|evening)(?= |$)|(?:^| )(?<night>tonight)(?= |$)/;

/** Null when there is more than one time, or one that no clock shows. */
export function takeTime(typed: string): Timed | null {
  const text = typed
    .toLowerCase()
    .replace(/\b([ap])\.?m\b\.?/g, '$1m')
    .replace(/[\s]+/g, ' ')
    .trim();
  const part = PART.exec(` ${text}`)?.groups;
  const afternoon =
    part?.part === 'afternoon' || part?.part === 'evening' || part?.night !== undefined;
  for (const way of WAYS) {
    const found = way.exec(text);
    if (found === null) continue;
    const time = timeOf(found.groups ?? {}, afternoon);
    const rest = text.replace(way, '').trim();
    const another = WAYS.slice(0, 4).some((each) => each.test(rest));
    return time === null || another ? null : { time, rest: withoutPart(rest) };
  }
  return { time: null, rest: withoutPart(text) };
}

/** Tonight is today; of the parts of the day nothing is left to say once there is a time. */
const withoutPart = (text: string): string =>
  text
    .replace(/\btonight\b/, 'today')
    .replace(/\bevery (morning|afternoon|evening)\b/, 'every day')
    .replace(/(?: in the| this)? (morning|afternoon|evening)(?= |$)/, '')
    .replace(/,$/, '')
    .trim();

function timeOf(
  { name, hour = '', minute = '00', half }: Record<string, string | undefined>,
  afternoon: boolean,
): string | null {
  if (name !== undefined) return NAMED[name] ?? null;
  const shown = Number(hour);
  if (half !== undefined && (shown < 1 || shown > 12)) return null;
  const late = half === 'pm' || (half === undefined && afternoon && shown < 12);
  const hours = half === undefined && !late ? shown : (shown % 12) + (late ? 12 : 0);
  if (hours > 23 || Number(minute) > 59) return null;
  return `${String(hours).padStart(2, '0')}:${minute}`;
}
