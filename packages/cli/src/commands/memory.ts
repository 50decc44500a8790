// `relay memory`: shows which model is used for search by meaning, and how much is indexed.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { ChangeDigestExport, DigestExportState } from '@relay/contract/api/digests';
import type { ChatImportReport } from '@relay/contract/api/imports';
import type { EmbeddingsTrial, MemoryStatus } from '@relay/contract/api/memory';
import { RelayError } from '@relay/contract/errors';
import { clientOf, longTimeoutClientOf, postChatExport } from '../api.ts';
import type { CommandCall, CommandOptions, RunCommand } from '../command.ts';
import {
  formatBytes,
  formatCount,
  formatRoughDuration,
  formatRows,
  toOneLine,
  toPrintable,
} from '../format.ts';
import { askUser, canAsk, readPipedLine } from '../prompt.ts';
import { findDaemon } from '../running-daemon.ts';

export const showMemoryStatusCommand: RunCommand = async ({ config, terminal }) => {
  const status = await clientOf(config.home).get('/api/memory');
  if (terminal.json) terminal.writeJson(status);
  else for (const line of formatMemoryStatus(status)) terminal.writeLine(toPrintable(line));
  return 0;
};

// `relay memory embeddings off|local|endpoint`: tests the model, states the effort and what would leave the machine,
// and starts after confirmation.

export const chooseEmbeddingsCommand: RunCommand = async (call) => {
  const { config, terminal } = call;
  const client = longTimeoutClientOf(config.home);
  const body = await choiceOf(call);
  if (body.embeddings !== 'off') {
    terminal.progress('Testing the model …');
    const trial = await client.post('/api/memory/embeddings/trial', { body });
    if (!terminal.json)
      for (const line of formatEmbeddingsTrial(trial)) terminal.writeLine(toPrintable(line));
    if (!(await confirmEmbeddings(call))) return 1;
  }
  const status = await client.patch('/api/memory/embeddings', { body });
  if (terminal.json) terminal.writeJson(status);
  else for (const line of formatMemoryStatus(status)) terminal.writeLine(toPrintable(line));
  return 0;
};

interface Choice {
  embeddings: 'off' | 'local' | 'endpoint';
  base_url?: string;
  model?: string;
  api_key?: string;
}

async function choiceOf({ args, options }: CommandCall): Promise<Choice> {
  const [embeddings] = args;
  if (embeddings !== 'off' && embeddings !== 'local' && embeddings !== 'endpoint') {
    throw new RelayError('usage', { what: 'Give off, local or endpoint.' });
  }
  return {
    embeddings,
    ...(typeof options.baseUrl === 'string' ? { base_url: options.baseUrl } : {}),
    ...(typeof options.model === 'string' ? { model: options.model } : {}),
    ...(options.key === true ? { api_key: await readKey() } : {}),
  };
}

async function readKey(): Promise<string> {
  const key = canAsk()
    ? await askUser('API key (not shown): ', { secret: true })
    : await readPipedLine();
  if (key !== '') return key;
  const what =
    'No API key was given. Pipe it in: `relay memory embeddings endpoint --key < key.txt`.';
  throw new RelayError('usage', { what });
}

async function confirmEmbeddings({ terminal, options }: CommandCall): Promise<boolean> {
  if (options.yes === true) return true;
  if (terminal.json || !canAsk()) {
    throw new RelayError('usage', {
      what: 'Nothing was changed. Add --yes to skip the confirmation.',
    });
  }
  if (/^y(es)?$/i.test(await askUser('Start? [y/N] '))) return true;
  terminal.note('Nothing was changed.');
  return false;
}

// `relay memory import`: sends an exported WhatsApp chat to the daemon, which makes it searchable. Importing it again
// adds nothing twice.

export const importChatExportCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const path = args[0] ?? '';
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  const size = await sizeOf(path);
  let sent = 0;
  const progress = paced(terminal.progress);
  const file = createReadStream(path).on('data', (chunk) => {
    sent += chunk.length;
    progress(`Reading ${formatBytes(sent)} of ${formatBytes(size)} …`);
  });
  const query = { file: basename(path), ...parseImportQuery(options) };
  for await (const news of postChatExport(config.home, file, size, query)) {
    if (news.type === 'progress') {
      progress(`Importing … ${news.percent} % (${formatCount(news.lines, 'line')})`);
    } else if (news.type === 'failed') {
      throw new RelayError('command_failed', { reason: news.error });
    } else if (terminal.json) terminal.writeJson(news.report);
    else for (const line of formatImportReport(news.report)) terminal.writeLine(line);
  }
  return 0;
};

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new RelayError('usage', { what: `${path} ${reason}.` });
  });
  if (found.isFile()) return found.size;
  throw new RelayError('usage', { what: `${path} is not a file. Give the .txt or .zip file.` });
}

const FIELDS = { chat: 'chat', me: 'me', dateOrder: 'date_order', zone: 'zone' } as const;

function parseImportQuery(options: CommandOptions): Record<string, string> {
  const given = Object.entries(FIELDS).flatMap(([option, field]) => {
    const value = options[option];
    return typeof value === 'string' ? [[field, value]] : [];
  });
  return Object.fromEntries(given);
}

/** Limits progress updates to five a second. */
function paced(tell: (sentence: string) => void): (sentence: string) => void {
  let shown = 0;
  return (sentence) => {
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    tell(sentence);
  };
}

const SKIP_REASONS: Readonly<Record<string, string>> = {
  system: 'WhatsApp system messages',
  deleted: 'deleted messages',
  media: 'media not included in the export',
  empty: 'empty messages',
  no_message: 'lines before the first message',
  no_date: 'messages with an invalid date',
};

function formatImportReport(report: ChatImportReport): string[] {
  const { chat_name, new_chat, messages, added, known, people, from, to, skipped } = report;
  const span = from === null || to === null ? '' : `, ${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  const reasons = Object.entries(skipped).map(
    ([reason, number]) => `${number} ${SKIP_REASONS[reason] ?? reason}`,
  );
  return [
    `${toOneLine(chat_name)}${new_chat ? ' (new)' : ''}: ${formatCount(messages, 'message')} from ${formatCount(people, 'person', 'people')}${span}.`,
    `${added} added, ${known} already stored.`,
    ...(reasons.length === 0 ? [] : [`Skipped: ${reasons.join(', ')}.`]),
  ];
}

// `relay memory outside`: configures the digest export. Without options it shows the state; a secret is shown only when
// it is created.

export const configureDigestExportCommand: RunCommand = async ({ config, terminal, options }) => {
  const client = clientOf(config.home);
  const changed = parseDigestExportChanges(options);
  if (Object.keys(changed).length === 0) {
    const state = await client.get('/api/outside-memory');
    if (terminal.json) terminal.writeJson(state);
    else for (const line of formatDigestExport(state)) terminal.writeLine(line);
    return 0;
  }
  const { webhook_secret: secret, ...state } = await client.patch('/api/outside-memory', {
    body: changed,
  });
  if (terminal.json) {
    terminal.writeJson({ ...state, webhook_secret: secret });
    return 0;
  }
  for (const line of formatDigestExport(state)) terminal.writeLine(line);
  if (secret !== null) {
    terminal.writeLine(`Secret: ${secret}`);
    terminal.note('This secret is shown only once. The receiver checks the signature with it.');
  }
  return 0;
};

/** Contains only the settings that were named. */
type DigestExportChanges = {
  [K in keyof ChangeDigestExport]?: Exclude<ChangeDigestExport[K], undefined>;
};

function parseDigestExportChanges(options: CommandOptions): DigestExportChanges {
  const { folder, webhook, deviceId, hourly, rotateSecret } = options;
  return {
    ...(typeof folder === 'string' ? { folder: folder === '' ? null : resolve(folder) } : {}),
    ...(typeof webhook === 'string' ? { webhook_url: webhook === '' ? null : webhook } : {}),
    ...(typeof deviceId === 'string' ? { device_id: deviceId } : {}),
    ...(typeof hourly === 'boolean' ? { hourly } : {}),
    ...(rotateSecret === true ? { rotate_secret: true } : {}),
  };
}

function formatDigestExport({
  folder,
  webhook_url,
  hourly,
  device_id,
}: DigestExportState): string[] {
  if (folder === null && webhook_url === null) {
    return [
      'Digest export is off. Turn it on with `relay memory outside --folder <path>` or `--webhook <url>`.',
    ];
  }
  const what = hourly ? 'Hourly and daily digests' : 'Daily digests';
  return [
    ...(folder === null ? [] : [`${what} are written to ${toOneLine(folder)}, one file per day.`]),
    ...(webhook_url === null ? [] : [`${what} are sent to ${toOneLine(webhook_url)}, signed.`]),
    `Device id: ${toOneLine(device_id)}`,
  ];
}

// Formats the state of memory and what a choice means. Pure.

const formatNumber = (count: number): string => count.toLocaleString('en-GB');

const KINDS = {
  off: 'off (search by words only)',
  local: 'local model (runs on this machine)',
  endpoint: 'endpoint',
} as const;

export function formatMemoryStatus(status: MemoryStatus): string[] {
  const { embeddings, provider, model, dims, vectors, documents, waiting, per_second } = status;
  const entries: (readonly [string, string | null])[] = [
    [
      'Search by meaning',
      embeddings === 'endpoint' ? `${KINDS.endpoint}: ${provider ?? '?'}` : KINDS[embeddings],
    ],
    ['Model', model === null ? null : `${model}${dims === null ? '' : `, ${dims} dimensions`}`],
    ['Index', status.index === 'pgvector' ? 'pgvector' : status.index && 'in the daemon'],
    [
      'Texts',
      `${formatNumber(documents)}${embeddings === 'off' ? '' : `, ${formatNumber(vectors)} indexed`}`,
    ],
    ['Queued', embeddings === 'off' || waiting === 0 ? null : formatWaiting(waiting, per_second)],
    ['Failed', status.failure?.sentence ?? null],
  ];
  return formatRows(
    entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}

function formatWaiting(waiting: number, perSecond: number | null): string {
  if (perSecond === null) return formatNumber(waiting);
  const left = formatRoughDuration((1_000 * waiting) / perSecond);
  return `${formatNumber(waiting)} (${perSecond.toFixed(1)} per second, ${left} left)`;
}

/** Shown before indexing starts. */
export function formatEmbeddingsTrial({
  model,
  waiting,
  per_second,
  leaves_to,
}: EmbeddingsTrial): string[] {
  const time = formatRoughDuration((1_000 * waiting) / per_second);
  return [
    `${model} processes ${per_second.toFixed(1)} texts per second. ${formatNumber(waiting)} texts take about ${time}, newest first. Relay keeps working meanwhile.`,
    leaves_to === null
      ? 'No data leaves this machine. The model supports English only; other languages are searched by words.'
      : `The text of all ${formatNumber(waiting)} messages, including those from other people, and every search is sent to ${leaves_to}. Its operator can read them.`,
  ];
}
