// Reads what a conversation's agent is given for a turn: transcript, media, files and task. A turn that is lost and taken
// again reads the same context again.

import { currentTurnPurpose, type TurnPurpose } from '@relay/contract/conversation/states';
import { mediaId } from '@relay/contract/ids';
import { joinTaints, UNTAINTED } from '@relay/core/policy/facts';
import type { TurnContext } from '@relay/core/ports/agent-turn';
import type { Transaction } from '../../platform/db/database.ts';
import { findMedia } from '../../platform/db/media.ts';
import { mayShowPhotos, readLineMedia } from '../../platform/db/message-text.ts';
import { beginRun, taintOfAuthors } from '../../platform/db/runs.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import {
  type InstanceRow,
  selectTranscript,
  type TranscriptLineRow,
  toTranscriptLine,
} from './sql.ts';

/** Begins the run as well, so that it records what the agent reads. */
export async function beginRunWithContext(
  work: UnitOfWork,
  row: InstanceRow,
  asked: TurnPurpose,
  readUpTo: number,
): Promise<TurnContext> {
  const lines = await selectTranscript(work.tx, row.account_id, row.id)
    .where('m.id', '>', row.summary_up_to ?? 0)
    .orderBy('m.id')
    .execute();
  const unread = lines.filter(({ role, id }) => role === 'contact' && id > readUpTo).length;
  const isSaid = ({ role, delivery }: (typeof lines)[number]) =>
    (role === 'agent' || role === 'manual') && delivery !== 'failed';
  const spoken = row.summary_up_to !== null || lines.some(isSaid);
  const taskFrom = await taintOfAuthors(work.tx, row.account_id, [row.created_by]);
  const said = await withMedia(work, row, lines);
  const taint = joinTaints(taskFrom, { ...UNTAINTED, chats: [row.chat_id] });
  return {
    instance: row.id,
    chat: row.chat_id,
    taint,
    taskFrom,
    run: await beginRun(work.tx, {
      account: row.account_id,
      actor: `conversation:${row.id}`,
      owner: { instance: row.id },
      epoch: row.epoch,
      readUpTo: lines.at(-1)?.id ?? row.summary_up_to,
      taint,
    }),
    purpose: currentTurnPurpose(asked, { spoken, unread }),
    objective: row.objective,
    todos: row.todos,
    facts: row.options.facts ?? [],
    files: await describeFiles(work.tx, row),
    resultSchema: row.result_schema,
    summary: row.summary,
    ...said,
    unread,
    followUpCount: row.follow_up_count,
    maxFollowups: row.max_followups,
  };
}

/** The lines with what was understood of their media, and the photos that the owner lets the model see. */
async function withMedia(
  { tx }: UnitOfWork,
  { account_id: account, chat_id: chat }: InstanceRow,
  lines: readonly TranscriptLineRow[],
): Promise<Pick<TurnContext, 'transcript' | 'photos'>> {
  const mediaOf = await readLineMedia(
    tx,
    account,
    chat,
    lines.map(({ message_id }) => message_id),
  );
  const isHeard = ({ role }: TranscriptLineRow) => role === 'contact' || role === 'manual';
  const media = new Map(
    lines.flatMap((line) => {
      const { id, role, message_id: message } = line;
      if (message === null || !isHeard(line)) return [];
      const found = mediaOf({ message, fromMe: role === 'manual' });
      return found === null ? [] : [[String(id), found] as const];
    }),
  );
  const photos = new Map(
    [...media].flatMap(([id, { photo }]) => (photo ? [[id, photo] as const] : [])),
  );
  const isShown = photos.size > 0 && (await mayShowPhotos(tx, account, chat, true));
  return {
    transcript: lines.map((line) => {
      const text = media.get(String(line.id))?.text;
      return { ...toTranscriptLine(line), ...(text === undefined ? {} : { content: text }) };
    }),
    ...(isShown ? { photos } : {}),
  };
}

async function describeFiles(tx: Transaction, row: InstanceRow): Promise<readonly string[]> {
  const ids = row.options.media ?? [];
  const files = await Promise.all(ids.map((id) => findMedia(tx, row.account_id, mediaId(id))));
  return files.map((file) =>
    file === null
      ? 'a file that is gone'
      : `${file.file_name ?? file.kind} (${file.mime_type ?? 'unknown type'})`,
  );
}
