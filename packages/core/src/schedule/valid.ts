// What is wrong with a schedule before it is one, as a sentence with what to do instead.
import { WEEKDAYS } from './local.ts';
import { nextAfter, readCron } from './recur.ts';
import { type Rule, ruleSchema } from './rule.ts';
import { localWords } from './words.ts';
import { type Zone, zoneNamed } from './zone.ts';

export type Checked =
  | { readonly ok: true; readonly rule: Rule; readonly zone: Zone; readonly next: Date }
  | { readonly ok: false; readonly sentence: string };

const wrong = (sentence: string): Checked => ({ ok: false, sentence });

/** A rule that anybody handed in: well formed, in a zone there is, and with something still to come. */
export function checkRule(given: unknown, zoneName: string, now: Date): Checked {
  const zone = zoneNamed(zoneName);
  if (zone === null) {
    return wrong(
      `"${zoneName}" is not a time zone. Give one like Europe/Berlin or America/New_York.`,
    );
  }
  const parsed = ruleSchema.safeParse(given);
  if (!parsed.success)
    return wrong(`${(parsed.error.issues[0]?.message ?? 'It is no rule').replace(/\.$/, '')}.`);
  const rule = inOrder(parsed.data);
  const fault = rule.kind === 'cron' ? cronFault(rule.expression) : null;
  if (fault !== null) return wrong(fault);
  const next = nextAfter(rule, zone, now);
  if (next !== null) return { ok: true, rule, zone, next };
  return wrong(
    rule.kind === 'once'
      ? `${rule.at.replace('T', ' ')} has passed: it is ${localWords(now, zone)}. Give a time that is still to come.`
      : 'That never happens: no day there is matches it.',
  );
}

/** Each day once, from Monday on: the same rule is the same rule, however it was written. */
const inOrder = (rule: Rule): Rule =>
  rule.kind === 'weekly'
    ? { ...rule, days: WEEKDAYS.filter((day) => rule.days.includes(day)) }
    : rule;

const FIELDS = 'minute, hour, day of the month, month and day of the week, as in "0 9 * * mon-fri"';

function cronFault(expression: string): string | null {
  // In croner it stands for the time at which it is read, which is no rule.
  if (expression.includes('?')) return `A cron expression cannot hold a "?". It is ${FIELDS}.`;
  try {
    readCron(expression);
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '';
    const what = /parts/.test(said) ? 'it has five fields' : said.replace(/\.$/, '');
    return `"${expression}" is no cron expression: ${what}. It is ${FIELDS}.`;
  }
}
