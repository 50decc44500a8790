// `relay top`: a live status screen. It is refreshed by the daemon's stream, and every other second without an event.
// Programs and redirected output get a single snapshot.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '@relay/contract/api/activity';
import type { InstanceCounts } from '@relay/contract/api/instances';
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { Client } from '@relay/contract/client/client';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { followDaemonChanges } from '../daemon-events.ts';
import {
  formatCount,
  formatDuration,
  formatPhone,
  padText,
  toOneLine,
  truncateText,
  wrapText,
} from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { describeLedgerOutcome } from './ledger.ts';

const TICK_MS = 2_000;
/** Minimum time between two refreshes. */
const REST_MS = 500;
const COME_BACK_MS = 1_000;
const KEYS = 'q: quit';

export const showTopCommand: RunCommand = async ({ config, terminal, options }) => {
  const gather = createTopLoader(clientOf(config.home));
  // Without a daemon this throws the sentence that says what to do.
  const first = await gather();
  const isLive = terminal.size !== null && !terminal.json;
  if (isLive) await look(terminal, first, gather, config.home);
  else {
    give(terminal, first);
    if (options.follow !== true) return 0;
    for await (const _ of followDaemonChanges(config.home, TICK_MS)) {
      give(terminal, await gather());
      await sleep(REST_MS);
    }
  }
  return 0;
};

function give(terminal: Terminal, top: TopSnapshot): void {
  const { colours, json } = terminal;
  if (json) terminal.writeJson(top);
  else
    for (const line of formatTop(top, { colours, size: null, unreachableReason: null }))
      terminal.writeLine(line);
}

async function look(
  terminal: Terminal,
  first: TopSnapshot,
  gather: () => Promise<TopSnapshot>,
  home: string,
): Promise<void> {
  let top = first;
  let unreachableReason: string | null = null;
  const { colours } = terminal;
  const draw = () => {
    const { size } = terminal;
    if (size === null) return;
    const room = { ...size, rows: size.rows - 1 };
    const lines = formatTop(top, { colours, size: room, unreachableReason });
    screen.draw([...lines, ...Array(room.rows - 1 - lines.length).fill(''), colours.dim(KEYS)]);
  };
  const screen = openFullScreen(draw);
  const again = async () => {
    try {
      top = await gather();
      unreachableReason = null;
    } catch (error) {
      unreachableReason = error instanceof Error ? error.message : String(error);
    }
    if (!screen.left.aborted) draw();
  };
  try {
    draw();
    while (!screen.left.aborted) {
      await follow(home, screen.left, again);
      // The daemon may come back; until then the last snapshot stays.
      if (!screen.left.aborted) await again();
      await sleep(COME_BACK_MS, null, { signal: screen.left }).catch(() => {});
    }
  } finally {
    screen.close();
  }
}

/** Runs until the stream cannot be opened, or the person leaves. */
async function follow(home: string, left: AbortSignal, again: () => Promise<void>): Promise<void> {
  try {
    for await (const _ of untilLeft(followDaemonChanges(home, TICK_MS), left)) {
      await again();
      await sleep(REST_MS, null, { signal: left }).catch(() => {});
    }
  } catch {
    // The next refresh reports what is wrong.
  }
}

/** Ends when the person leaves, without waiting for the next change. */
async function* untilLeft<T>(source: AsyncGenerator<T>, left: AbortSignal): AsyncGenerator<T> {
  const over = new Promise<null>((resolve) =>
    left.addEventListener('abort', () => resolve(null), { once: true }),
  );
  while (!left.aborted) {
    const next = await Promise.race([source.next(), over]);
    if (next === null || next.done === true) break;
    yield next.value;
  }
  // Not awaited: it ends by itself at its next tick.
  void source.return(undefined).catch(() => {});
}

// The data of `relay top`, requested from the daemon in parallel. `--json` prints the same object.

export interface TopSnapshot {
  readonly at: string;
  readonly status: DaemonStatus;
  /** Conversations by whose turn it is. */
  readonly turns: InstanceCounts['by_turn'];
  /** Since midnight: messages, answers and model tokens. */
  readonly today: Activity['today'];
  /** The last decisions, newest first. */
  readonly events: readonly LedgerLine[];
}

const EVENTS = 50;
/** The day's usage is read over many rows, so it is cached this long. */
const TODAY_MS = 10_000;

/** Each call loads a new snapshot. */
function createTopLoader(client: Client): () => Promise<TopSnapshot> {
  let today: Activity['today'] | null = null;
  let readAt = 0;
  return async () => {
    const isOld = performance.now() - readAt > TODAY_MS;
    const [status, counts, ledger, activity] = await Promise.all([
      client.get('/api/status'),
      client.get('/api/instances/counts'),
      client.get('/api/ledger', { query: { order: 'newest', limit: EVENTS } }),
      today === null || isOld ? client.get('/api/activity') : null,
    ]);
    if (activity !== null) readAt = performance.now();
    const spent = activity?.today ?? today;
    if (spent === null) throw new Error('the day was never read');
    today = spent;
    return {
      at: new Date().toISOString(),
      status,
      turns: counts.by_turn,
      today: spent,
      events: ledger.entries,
    };
  };
}

// Formats `relay top`: state first, then figures, then the last decisions. Pure. Cut to the size of the terminal;
// nothing is cut without one.

interface TopLayout {
  readonly colours: Terminal['colours'];
  /** Null when the output is not a terminal. */
  readonly size: { readonly rows: number; readonly columns: number } | null;
  /** Why the snapshot may be old; null while the daemon answers. */
  readonly unreachableReason: string | null;
}

/** Width for redirected output. */
const PLAIN_COLUMNS = 200;
const PLAIN_EVENTS = 10;
const NAME = 15;

export function formatTop(top: TopSnapshot, look: TopLayout): string[] {
  const { colours, size } = look;
  const columns = size?.columns ?? PLAIN_COLUMNS;
  const first = [
    ...title(top, look, columns),
    '',
    ...listFigures(top).map(([name, value]) => {
      const words = truncateText(value, columns - NAME - 2);
      return `  ${colours.dim(padText(name, NAME))}${words}`;
    }),
    '',
  ];
  const room = size === null ? PLAIN_EVENTS : Math.max(0, size.rows - first.length - 2);
  const events = top.events.slice(0, room).map((event) => eventLine(event, colours, columns));
  const all = [
    ...first,
    ...(events.length === 0 ? [] : [colours.dim('Recent decisions'), ...events]),
  ];
  return size === null ? all : all.slice(0, size.rows - 1).map((line) => fitted(line, columns));
}

const WIDTHS = { who: 12, about: 16, outcome: 13 } as const;
const TAKEN = 12 + Object.values(WIDTHS).reduce((sum, one) => sum + one + 2, 0);

/** Time, actor, contact, result, and as much of the reason as fits. */
function eventLine(event: LedgerLine, colours: Terminal['colours'], columns: number): string {
  const at = new Date(event.at);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  const cell = (text: string, name: keyof typeof WIDTHS) =>
    padText(truncateText(toOneLine(text), WIDTHS[name]), WIDTHS[name]);
  const cells = [
    colours.dim(time),
    cell(event.who, 'who'),
    colours.bold(cell(event.about ?? '', 'about')),
    cell(describeLedgerOutcome(event.outcome), 'outcome'),
  ];
  return `  ${cells.join('  ')}  ${truncateText(toOneLine(event.sentence), columns - TAKEN)}`.trimEnd();
}

function title(
  top: TopSnapshot,
  { colours, unreachableReason }: TopLayout,
  columns: number,
): string[] {
  const { status } = top;
  const troubles = unreachableReason === null ? listTroubles(status) : [unreachableReason];
  const dot =
    unreachableReason !== null || !status.whatsapp_connected
      ? colours.red('●')
      : lightOf(status, colours);
  const sentence =
    troubles.length === 0 ? 'No problems.' : `${formatCount(troubles.length, 'problem')}.`;
  const name = `Relay ${status.version}${status.demo ? ' (demo)' : ''}`;
  const up = `up ${formatDuration(status.uptime_seconds)}`;
  const lines = troubles.flatMap((one) =>
    wrapText(toOneLine(one), columns - 4).map((line, at) =>
      colours.yellow(`${at === 0 ? '! ' : '  '}${line}`),
    ),
  );
  return [
    `${dot} ${colours.bold(truncateText(`${name}, ${up}. ${unreachableReason === null ? sentence : 'The daemon does not answer.'}`, columns - 2))}`,
    ...lines,
  ];
}

const lightOf = ({ sending, hold }: DaemonStatus, colours: Terminal['colours']): string =>
  ({
    green: hold ? colours.yellow('●') : colours.green('●'),
    amber: colours.yellow('●'),
    red: colours.red('●'),
  })[sending.light];

/** What is wrong, each in the daemon's own sentence. */
export function listTroubles(status: DaemonStatus): string[] {
  const { whatsapp, sending, jobs, webhooks, backup } = status;
  return [
    ...(status.whatsapp_connected ? [] : [whatsapp.sentence]),
    ...(status.hold ? ['Sending is on hold. End the hold with `relay release`.'] : []),
    ...(sending.light === 'green' ? [] : [sending.sentence]),
    ...jobs.dead_letters.map(({ count: many, sentence }) => `${sentence} (${many})`),
    ...[webhooks, backup?.trouble ?? null].filter((one) => one !== null),
  ];
}

function listFigures({ status, turns, today }: TopSnapshot): [string, string][] {
  const { whatsapp, sending, jobs, last_minute: minute } = status;
  const number = whatsapp.phone_number;
  const share = today.tokens_per_day === 0 ? 0 : today.tokens / today.tokens_per_day;
  return [
    [
      'WhatsApp',
      `${number === null ? '' : `${formatPhone(number)}, `}${whatsapp.state.replaceAll('_', ' ')}`,
    ],
    ['Last minute', `${minute.received} received, ${minute.sent} sent`],
    [
      'Today',
      `${today.received} received, ${today.sent} sent, ${formatCount(today.answers, 'answer')}`,
    ],
    ['Inbox', `${status.inbox_waiting} not processed yet`],
    ['Outbox', outbox(sending)],
    [
      'Jobs',
      `${jobs.waiting} waiting, ${jobs.running} running, ${jobs.dead} failed; ${formatCount(status.timers_pending, 'timer')}`,
    ],
    [
      'Conversations',
      `you ${turns.you}, agent ${turns.agent}, contact ${turns.them}, paused or queued ${turns.parked}, ended ${turns.ended}`,
    ],
    [
      'For you',
      `${formatCount(status.approvals_waiting, 'approval')}, ${formatCount(status.knocks_waiting, 'message request')}`,
    ],
    [
      'Model tokens',
      `${figure(today.tokens)} of ${figure(today.tokens_per_day)} today ${bar(share)} ${Math.round(share * 100)} %`,
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
  return `${waiting} queued, ${unknown} unknown, ${failed} failed; ${sent}${limit} sent in 24 h`;
}

const BAR = 10;

function bar(share: number): string {
  const full = Math.min(BAR, Math.max(0, Math.round(share * BAR)));
  return `▕${'█'.repeat(full)}${'·'.repeat(BAR - full)}▏`;
}

const figure = (value: number): string => value.toLocaleString('en-GB');

/** Only colour sequences make a line longer than it looks; lines without any are always cut. */
const fitted = (line: string, columns: number): string =>
  line.includes('\u001b') ? line : truncateText(line, columns);

// Uses the whole terminal: alternate screen, no cursor, single keys. Invariant: however it ends, the terminal is
// restored.

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
/** Clears the rest of a line, and everything below the last one. */
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface FullScreen {
  draw(lines: readonly string[]): void;
  /** Aborted when the person leaves. */
  readonly left: AbortSignal;
  close(): void;
}

function openFullScreen(onResize: () => void): FullScreen {
  const { stdin, stdout } = process;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const onKey = (keys: Buffer) => {
    if (/[qQ]/.test(keys.toString()) || keys.includes(CTRL_C) || keys.includes(CTRL_D)) leave();
  };
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.off('data', onKey).pause();
    stdout.off('resize', onResize);
    for (const signal of SIGNALS) process.off(signal, leave);
    process.off('exit', close);
    stdout.write(LEAVE);
  };
  for (const signal of SIGNALS) process.on(signal, leave);
  // Restores the terminal even after an exception.
  process.on('exit', close);
  stdout.on('resize', onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKey).resume();
  }
  stdout.write(ENTER);
  return {
    left: leaving.signal,
    draw(lines) {
      if (!open) return;
      const body = lines.map((line) => `${line}${CLEAR_LINE}`).join('\r\n');
      stdout.write(`\u001b[H${body}\r\n${CLEAR_BELOW}`);
    },
    close,
  };
}
