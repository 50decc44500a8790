// One conversation as it goes on: each time it is looked at, how it stands and which lines are new or
// have come further. Ends after the conversation has, when its last message is on its way or was given
// a moment for it.
import type { ConversationInstance, TranscriptLine } from '@relay/core/api/instances';
import type { Client } from '@relay/core/client/client';
import { isTerminal } from '@relay/core/conversation/states';
import { clientOf } from '../api.ts';
import { changes } from './follow.ts';

export interface Update {
  readonly instance: ConversationInstance;
  /** New, or further on its way than when it was last told. */
  readonly lines: readonly TranscriptLine[];
}

const TICK_MS = 1_000;
const LAST_WORDS_MS = 5_000;
/** Receipts for older lines are not waited for. */
const LOOK_BACK = 20;

export async function* followConversation(home: string, id: string): AsyncGenerator<Update> {
  const client = clientOf(home);
  const told = new Map<string, TranscriptLine>();
  let instance: ConversationInstance | null = null;
  let endedAt: number | null = null;
  for await (const change of changes(home, TICK_MS)) {
    if (!change.reload && !change.instances.has(id)) {
      if (instance !== null) yield { instance, lines: [] };
    } else {
      // First how it stands, then what was said: whoever sees the end has seen the last words.
      instance = await client.get('/api/instances/{id}', { path: { id } });
      const lines = await newLines(client, id, told);
      yield { instance, lines };
    }
    if (instance === null || !isTerminal(instance.state)) continue;
    endedAt ??= Date.now();
    const leaving = [...told.values()].some(({ delivery }) => delivery === 'pending');
    if (!leaving || Date.now() - endedAt > LAST_WORDS_MS) return;
  }
}

async function newLines(
  client: Client,
  id: string,
  told: Map<string, TranscriptLine>,
): Promise<TranscriptLine[]> {
  const after = settledUpTo([...told.values()]);
  const found = await client.get('/api/instances/{id}/transcript', {
    path: { id },
    query: after === null ? {} : { after },
  });
  const fresh = found.filter((line) => told.get(line.id)?.delivery !== line.delivery);
  for (const line of fresh) told.set(line.id, line);
  return fresh;
}

/** The last line before which nothing can change any more. */
function settledUpTo(lines: readonly TranscriptLine[]): string | null {
  const recent = Math.max(0, lines.length - LOOK_BACK);
  const open = lines.findIndex((line, index) => index >= recent && !isSettled(line));
  return lines[open === -1 ? lines.length - 1 : open - 1]?.id ?? null;
}

export const isSettled = ({ delivery }: TranscriptLine): boolean =>
  delivery === null || delivery === 'read' || delivery === 'failed';
