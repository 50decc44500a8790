// `relay memory import`: an exported WhatsApp chat goes to the daemon as it is, and becomes findable. Repeating
// it adds nothing twice.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ChatImportReport } from '@relay/core/api/imports';
import { RelayError } from '@relay/core/errors';
import { postChatExport } from '../../api.ts';
import type { Options, Run } from '../../command.ts';
import { findDaemon } from '../../daemon.ts';
import { bytes, count, oneLine } from '../../format.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const path = args[0] ?? '';
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  const size = await sizeOf(path);
  let sent = 0;
  const progress = paced(terminal.progress);
  const file = createReadStream(path).on('data', (chunk) => {
    sent += chunk.length;
    progress(`Reading ${bytes(sent)} of ${bytes(size)} …`);
  });
  const query = { file: basename(path), ...given(options) };
  for await (const news of postChatExport(config.home, file, size, query)) {
    if (news.type === 'progress') {
      progress(`Importing … ${news.percent} % (${count(news.lines, 'line')})`);
    } else if (news.type === 'failed') {
      throw new RelayError('command_failed', { reason: news.error });
    } else if (terminal.json) terminal.give(news.report);
    else for (const line of described(news.report)) terminal.say(line);
  }
  return 0;
};

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new RelayError('usage', { what: `${path} ${reason}.` });
  });
  if (found.isFile()) return found.size;
  throw new RelayError('usage', { what: `${path} is no file. Give the .txt or .zip itself.` });
}

const FIELDS = { chat: 'chat', me: 'me', dateOrder: 'date_order', zone: 'zone' } as const;

function given(options: Options): Record<string, string> {
  const said = Object.entries(FIELDS).flatMap(([option, field]) => {
    const value = options[option];
    return typeof value === 'string' ? [[field, value]] : [];
  });
  return Object.fromEntries(said);
}

/** Five times a second is often enough for anybody. */
function paced(tell: (sentence: string) => void): (sentence: string) => void {
  let shown = 0;
  return (sentence) => {
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    tell(sentence);
  };
}

const WHY: Readonly<Record<string, string>> = {
  system: 'notes of WhatsApp itself',
  deleted: 'deleted messages',
  media: 'media that the export leaves out',
  empty: 'empty messages',
  no_message: 'lines before the first message',
  no_date: 'messages of no possible date',
};

function described(report: ChatImportReport): string[] {
  const { chat_name, new_chat, messages, added, known, people, from, to, skipped } = report;
  const span = from === null || to === null ? '' : `, ${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  const left = Object.entries(skipped).map(([why, number]) => `${number} ${WHY[why] ?? why}`);
  return [
    `${oneLine(chat_name)}${new_chat ? ' (new)' : ''}: ${count(messages, 'message')} of ${count(people, 'person', 'people')}${span}.`,
    `${added} added, ${known} known already.`,
    ...(left.length === 0 ? [] : [`Left out: ${left.join(', ')}.`]),
  ];
}
