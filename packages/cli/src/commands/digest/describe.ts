// A group's day as a person reads it in a terminal: the digest, its facts by kind, the hours where they are
// wanted or all there is, and what it cost. Nothing in it can move the cursor.
import type { Digest, GroupDay } from '@relay/core/api/digests';
import { dateOf } from '@relay/core/observer/digest/clock';
import { FACT_KINDS, FACT_TITLES, factLine } from '@relay/core/observer/digest/facts';
import { failureWords, zoneOf } from '@relay/core/observer/digest/show';
import { count, oneLine } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';
import { wrap } from '../../width.ts';

export interface Shown {
  readonly hours: boolean;
  readonly columns: number;
  readonly colours: Pick<Terminal['colours'], 'bold' | 'dim'>;
}

export function describe(day: GroupDay, shown: Shown): string[] {
  const { colours, hours } = shown;
  const zone = zoneOf(day);
  const date = dateOf(new Date(day.from), zone);
  const sections = [
    [`${colours.bold(oneLine(day.group))}  ${date}${day.observed ? '' : '  (no longer observed)'}`],
    ...(day.daily === null
      ? []
      : [inset(day.daily.text, shown), ...factSections(day.daily, shown)]),
    ...(day.instead === null ? [] : [inset(day.instead, shown)]),
    ...(day.daily === null || hours ? [day.hourly.flatMap((hour) => hourLines(hour, shown))] : []),
    failureWords(day, zone).flatMap((sentence) => inset(sentence, shown)),
    costLines(day).map((line) => `  ${colours.dim(line)}`),
  ];
  const filled = sections.filter((section) => section.length > 0);
  return filled.flatMap((section, at) => (at === 0 ? section : ['', ...section]));
}

const inset = (text: string, { columns }: Shown): string[] =>
  wrap(oneLine(text), columns - 2).map((line) => `  ${line}`);

function factSections({ facts }: Digest, shown: Shown): string[][] {
  return FACT_KINDS.flatMap((kind) => {
    const of = facts.filter((fact) => fact.kind === kind);
    if (of.length === 0) return [];
    const title = `  ${shown.colours.bold(FACT_TITLES[kind])}`;
    if (kind === 'participant' || kind === 'mood')
      return [[title, ...hanging('', of.map(({ text }) => text).join(', '), shown)]];
    const sign = kind === 'open_question' ? '? ' : '• ';
    return [[title, ...of.flatMap((fact) => hanging(sign, factLine(fact), shown))]];
  });
}

/** `10:00-11:00` in front, the words beside it. */
function hourLines({ text }: Digest, shown: Shown): string[] {
  const [, hours = '', words = text] = /^(\d\d:\d\d-\d\d:\d\d): (.*)$/s.exec(text) ?? [];
  return hanging(
    hours === '' ? '' : `${hours}  `,
    words,
    { ...shown, columns: shown.columns + 2 },
    2,
  );
}

function hanging(sign: string, text: string, { columns }: Shown, indent = 4): string[] {
  const room = columns - indent - sign.length;
  return wrap(oneLine(text), room).map(
    (line, at) => ' '.repeat(indent) + (at === 0 ? sign : ' '.repeat(sign.length)) + line,
  );
}

const figure = new Intl.NumberFormat('en');

function costLines(day: GroupDay): string[] {
  const digests = [...(day.daily === null ? [] : [day.daily]), ...day.hourly];
  const cost = digests.reduce((sum, { cost_tokens }) => sum + cost_tokens, 0);
  const { messages_kept, messages_cut, tokens_saved, tokens_spent } = day;
  const heard = messages_kept + messages_cut;
  const noise = `${figure.format(messages_cut)} of them noise that no model read`;
  const spent = `${figure.format(tokens_spent)} spent on the group that day, answers included`;
  return [
    ...(heard === 0
      ? []
      : [`${count(heard, 'message')}, ${noise}; ${figure.format(tokens_saved)} tokens spared`]),
    ...(cost === 0 ? [] : [`${figure.format(cost)} tokens for ${count(digests.length, 'digest')}`]),
    ...(tokens_spent === 0 ? [] : [spent]),
  ];
}
