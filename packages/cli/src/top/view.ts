// `relay top` as lines: how it is first, then the figures, then what was decided last. Pure. As wide and as high as what
// it is drawn on; where nobody looks nothing is cut.
import type { LedgerLine } from '@relay/core/api/ledger';
import type { DaemonStatus } from '@relay/core/api/status';
import { count, duration, oneLine, phone } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { cut, pad, wrap } from '../width.ts';
import type { Top } from './gather.ts';

export interface Look {
  readonly colours: Terminal['colours'];
  /** Null where nobody looks. */
  readonly size: { readonly rows: number; readonly columns: number } | null;
  /** Why what is shown may be old; null while the daemon answers. */
  readonly gone: string | null;
}

/** For who reads it from a file. */
const PLAIN_COLUMNS = 200;
const PLAIN_EVENTS = 10;
const NAME = 15;

export function view(top: Top, look: Look): string[] {
  const { colours, size } = look;
  const columns = size?.columns ?? PLAIN_COLUMNS;
  const first = [
    ...title(top, look, columns),
    '',
    ...figures(top).map(([name, value]) => {
      const words = cut(value, columns - NAME - 2);
      return `  ${colours.dim(pad(name, NAME))}${words}`;
    }),
    '',
  ];
  const room = size === null ? PLAIN_EVENTS : Math.max(0, size.rows - first.length - 2);
  const events = top.events.slice(0, room).map((event) => eventLine(event, colours, columns));
  const all = [
    ...first,
    ...(events.length === 0 ? [] : [colours.dim('Last decisions'), ...events]),
  ];
  return size === null ? all : all.slice(0, size.rows - 1).map((line) => fitted(line, columns));
}

const WIDTHS = { who: 12, about: 16, outcome: 13 } as const;
const TAKEN = 12 + Object.values(WIDTHS).reduce((sum, one) => sum + one + 2, 0);

/** When, who, about whom, how it went, and why as far as it fits. */
function eventLine(event: LedgerLine, colours: Terminal['colours'], columns: number): string {
  const at = new Date(event.at);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  const cell = (text: string, name: keyof typeof WIDTHS) =>
    pad(cut(oneLine(text), WIDTHS[name]), WIDTHS[name]);
  const cells = [
    colours.dim(time),
    cell(event.who, 'who'),
    colours.bold(cell(event.about ?? '', 'about')),
    cell(event.outcome.replaceAll('_', ' '), 'outcome'),
  ];
  return `  ${cells.join('  ')}  ${cut(oneLine(event.sentence), columns - TAKEN)}`.trimEnd();
}

function title(top: Top, { colours, gone }: Look, columns: number): string[] {
  const { status } = top;
  const troubles = gone === null ? troublesOf(status) : [gone];
  const dot =
    gone !== null || !status.whatsapp_connected ? colours.red('●') : lightOf(status, colours);
  const sentence = troubles.length === 0 ? 'All is well.' : 'Something needs a look.';
  const name = `Relay ${status.version}${status.demo ? ' (demo)' : ''}`;
  const up = `up ${duration(status.uptime_seconds)}`;
  const told = troubles.flatMap((one) =>
    wrap(oneLine(one), columns - 4).map((line, at) =>
      colours.yellow(`${at === 0 ? '! ' : '  '}${line}`),
    ),
  );
  return [
    `${dot} ${colours.bold(cut(`${name}, ${up}. ${gone === null ? sentence : 'It does not answer.'}`, columns - 2))}`,
    ...told,
  ];
}

const lightOf = ({ sending, hold }: DaemonStatus, colours: Terminal['colours']): string =>
  ({
    green: hold ? colours.yellow('●') : colours.green('●'),
    amber: colours.yellow('●'),
    red: colours.red('●'),
  })[sending.light];

/** What is wrong, each in the daemon's own sentence. */
export function troublesOf(status: DaemonStatus): string[] {
  const { whatsapp, sending, jobs, webhooks, backup } = status;
  return [
    ...(status.whatsapp_connected ? [] : [whatsapp.sentence]),
    ...(status.hold ? ['On hold: nothing is sent. `relay release` ends it.'] : []),
    ...(sending.light === 'green' ? [] : [sending.sentence]),
    ...jobs.dead_letters.map(({ count: many, sentence }) => `${sentence} (${many})`),
    ...[webhooks, backup.trouble].filter((one) => one !== null),
  ];
}

export function figures({ status, turns, today }: Top): [string, string][] {
  const { whatsapp, sending, jobs, last_minute: minute } = status;
  const number = whatsapp.phone_number;
  const share = today.tokens_per_day === 0 ? 0 : today.tokens / today.tokens_per_day;
  return [
    [
      'Link',
      `${number === null ? '' : `${phone(number)}, `}${whatsapp.state.replaceAll('_', ' ')}`,
    ],
    ['This minute', `${minute.received} in, ${minute.sent} out`],
    ['Today', `${today.received} in, ${today.sent} out, ${count(today.answers, 'answer')}`],
    ['Inbox', `${status.inbox_waiting} waiting`],
    ['Outbox', outbox(sending)],
    [
      'Jobs',
      `${jobs.waiting} waiting, ${jobs.running} running, ${jobs.dead} dead; ${count(status.timers_pending, 'timer')}`,
    ],
    [
      'Conversations',
      `you ${turns.you}, agent ${turns.agent}, them ${turns.them}, parked ${turns.parked}, ended ${turns.ended}`,
    ],
    [
      'For you',
      `${count(status.approvals_waiting, 'approval')}, ${count(status.knocks_waiting, 'knock')}`,
    ],
    [
      'Spent today',
      `${figure(today.tokens)} of ${figure(today.tokens_per_day)} tokens ${bar(share)} ${Math.round(share * 100)} %`,
    ],
  ];
}

function outbox({
  waiting,
  unknown,
  failed,
  sent_today: sent,
  caps,
}: DaemonStatus['sending']): string {
  const limit = caps.enabled ? ` of ${caps.per_day}` : '';
  return `${waiting} waiting, ${unknown} unknown, ${failed} failed; ${sent}${limit} in 24 h`;
}

const BAR = 10;

function bar(share: number): string {
  const full = Math.min(BAR, Math.max(0, Math.round(share * BAR)));
  return `▕${'█'.repeat(full)}${'·'.repeat(BAR - full)}▏`;
}

const figure = (value: number): string => value.toLocaleString('en-GB');

/** Only colours are longer than they look; lines without any are cut to be sure. */
const fitted = (line: string, columns: number): string =>
  line.includes('\u001b') ? line : cut(line, columns);
