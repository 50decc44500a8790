// `relay digest [group] [--day yesterday] [--hours]`: shows the digests of observed groups.

import type { Digest, GroupDay } from '@relay/contract/api/digests';
import { FACT_KINDS, FACT_TITLES, factLine } from '@relay/contract/observer/digest/facts';
import { formatDigestFailures, zoneOfGroupDay } from '@relay/core/observer/digest/format';
import { formatGroupDate } from '@relay/core/observer/digest/periods';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, toOneLine, wrapText } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export const showDigestsCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const { day, hours } = options;
  const group = args.join(' ').trim();
  const query = {
    ...(group === '' ? {} : { group }),
    ...(typeof day === 'string' ? { day } : {}),
  };
  const answer = await clientOf(config.home).get('/api/digests', { query });
  if (terminal.json) terminal.writeJson(answer);
  else if (answer.digests.length === 0) terminal.notice('No digests found.');
  else {
    const columns = Math.min(terminal.size?.columns ?? 80, 100);
    const shown = { hours: hours === true, columns, colours: terminal.colours };
    const pages = answer.digests.map((each) => formatGroupDay(each, shown));
    for (const line of pages.flatMap((page, at) => (at === 0 ? page : ['', ...page])))
      terminal.writeLine(line);
  }
  return 0;
};

// Formats a group's day: the digest, its facts by kind, the hours if requested or if nothing else exists, and the cost.
// The output contains no terminal control sequences.

interface DigestLayout {
  readonly hours: boolean;
  readonly columns: number;
  readonly colours: Pick<Terminal['colours'], 'bold' | 'dim'>;
}

export function formatGroupDay(day: GroupDay, shown: DigestLayout): string[] {
  const { colours, hours } = shown;
  const zone = zoneOfGroupDay(day);
  const date = formatGroupDate(new Date(day.from), zone);
  const sections = [
    [
      `${colours.bold(toOneLine(day.group))}  ${date}${day.observed ? '' : '  (no longer observed)'}`,
    ],
    ...(day.daily === null
      ? []
      : [inset(day.daily.text, shown), ...factSections(day.daily, shown)]),
    ...(day.instead === null ? [] : [inset(day.instead, shown)]),
    ...(day.daily === null || hours ? [day.hourly.flatMap((hour) => hourLines(hour, shown))] : []),
    formatDigestFailures(day, zone).flatMap((sentence) => inset(sentence, shown)),
    costLines(day).map((line) => `  ${colours.dim(line)}`),
  ];
  const filled = sections.filter((section) => section.length > 0);
  return filled.flatMap((section, at) => (at === 0 ? section : ['', ...section]));
}

const inset = (text: string, { columns }: DigestLayout): string[] =>
  wrapText(toOneLine(text), columns - 2).map((line) => `  ${line}`);

function factSections({ facts }: Digest, shown: DigestLayout): string[][] {
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

/** `10:00-11:00` in front, the text beside it. */
function hourLines({ text }: Digest, shown: DigestLayout): string[] {
  const [, hours = '', words = text] = /^(\d\d:\d\d-\d\d:\d\d): (.*)$/s.exec(text) ?? [];
  return hanging(
    hours === '' ? '' : `${hours}  `,
    words,
    { ...shown, columns: shown.columns + 2 },
    2,
  );
}

function hanging(sign: string, text: string, { columns }: DigestLayout, indent = 4): string[] {
  const room = columns - indent - sign.length;
  return wrapText(toOneLine(text), room).map(
    (line, at) => ' '.repeat(indent) + (at === 0 ? sign : ' '.repeat(sign.length)) + line,
  );
}

const figure = new Intl.NumberFormat('en');

function costLines(day: GroupDay): string[] {
  const digests = [...(day.daily === null ? [] : [day.daily]), ...day.hourly];
  const cost = digests.reduce((sum, { cost_tokens }) => sum + cost_tokens, 0);
  const { messages_kept, messages_cut, tokens_saved, tokens_spent } = day;
  const received = messages_kept + messages_cut;
  const noise = `${figure.format(messages_cut)} filtered as noise`;
  const spent = `${figure.format(tokens_spent)} model tokens for the group that day, including answers`;
  return [
    ...(received === 0
      ? []
      : [
          `${formatCount(received, 'message')}, ${noise}; ${figure.format(tokens_saved)} model tokens saved`,
        ]),
    ...(cost === 0
      ? []
      : [`${figure.format(cost)} model tokens for ${formatCount(digests.length, 'digest')}`]),
    ...(tokens_spent === 0 ? [] : [spent]),
  ];
}
