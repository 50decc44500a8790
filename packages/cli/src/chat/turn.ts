// One question and its answer, for a person or a program. What waits for the owner's yes is asked here and
// answered through the approvals' routes; a question that answers itself meanwhile is taken back.
import type { Approval } from '@relay/core/api/approvals';
import { RelayApiError } from '@relay/core/client/api-error';
import { askAssistant } from '@relay/core/client/assistant-stream';
import { clientOf, postStream } from '../api.ts';
import type { Terminal } from '../terminal.ts';
import { createVoice, type Voice } from './voice.ts';
import { approvalLines, approvalQuestion, isYes } from './words.ts';

/** Asks the person who looks on; null when they did not answer before `signal` aborted. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | null>;

export interface TurnWorld {
  readonly home: string;
  readonly terminal: Terminal;
  /** Null where nobody can be asked. */
  readonly ask: Ask | null;
}

const FAILED = 500;

/** Rejects with the daemon's own words when it failed, and with the signal's reason when it was stopped. */
export async function takeTurn(world: TurnWorld, text: string, signal: AbortSignal): Promise<void> {
  const { terminal } = world;
  const voice = createVoice(terminal);
  let asking: AbortController | null = null;
  let settled: Promise<void> | null = null;
  try {
    for await (const event of askAssistant(text, postStream(world.home), signal)) {
      asking?.abort();
      asking = null;
      if (terminal.json) terminal.give(event);
      else voice.tell(event);
      if (event.type === 'approval' && !terminal.json) {
        asking = new AbortController();
        settled = settle(world, voice, event.approval, asking.signal);
      }
      if (event.type === 'error') throw new RelayApiError(FAILED, event.code, event.message);
    }
  } finally {
    asking?.abort();
    await settled;
    voice.rest();
    terminal.settle();
  }
}

async function settle(
  { home, ask }: TurnWorld,
  voice: Voice,
  approval: Approval,
  signal: AbortSignal,
): Promise<void> {
  for (const line of approvalLines(approval)) voice.beside(line);
  const elsewhere = `\`relay approvals approve ${approval.id}\` or \`reject\``;
  if (ask === null) return voice.beside(`  It waits two minutes for ${elsewhere}.`);
  const answer = await ask(approvalQuestion(approval), signal);
  if (answer === null) return voice.beside(`  It waits for your yes: ${elsewhere}.`);
  const path = { id: approval.id };
  const client = clientOf(home);
  try {
    if (isYes(answer)) await client.post('/api/approvals/{id}/approve', { path });
    else await client.post('/api/approvals/{id}/reject', { path, body: {} });
  } catch (error) {
    voice.beside(`  ${error instanceof RelayApiError ? error.sentence : String(error)}`);
  }
}
