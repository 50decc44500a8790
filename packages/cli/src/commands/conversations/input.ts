// Finds conversations by an id or its beginning, and reads all of them page by page.

import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import type { ConversationInstance } from '@relay/contract/api/instances';
import type { Client } from '@relay/contract/client/client';
import type { InstanceState } from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import { formatPhone, parseDuration, toPrintable } from '../../format.ts';
import { conversationStateName } from './state-name.ts';

const WHOLE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BEGINNING = /^[0-9a-f][0-9a-f-]{3,35}$/;
const CANDIDATES = 5;
const PAGE = 500;

/** The short id that people see and can type. */
export const shortConversationId = (id: string): string => id.slice(0, 8);

export async function findConversationId(
  client: Client,
  given: string | undefined,
): Promise<string> {
  const id = given?.trim().toLowerCase() ?? '';
  if (WHOLE.test(id)) return id;
  if (!BEGINNING.test(id)) {
    throw new RelayError('usage', {
      what: `"${toPrintable(id)}" is not a valid id. Give an id, or at least its first 4 characters; see \`relay list\`.`,
    });
  }
  const query = { id_prefix: id, limit: CANDIDATES + 1 };
  const found = await client.get('/api/instances', { query });
  const [first, ...others] = found;
  if (first === undefined) throw new RelayError('conversation_unknown', { id });
  if (others.length === 0) return first.id;
  throw new RelayError('conversation_ambiguous', { id, candidates: candidates(found) });
}

function candidates(found: readonly ConversationInstance[]): string {
  const named = found
    .slice(0, CANDIDATES)
    .map(
      (one) =>
        `${one.id} (${formatPhone(toPrintable(one.target_contact))}, ${conversationStateName(one)})`,
    );
  return [...named, ...(found.length > CANDIDATES ? ['…'] : [])].join(', ');
}

export async function listAllConversations(
  client: Client,
  state?: InstanceState,
): Promise<ConversationInstance[]> {
  const found: ConversationInstance[] = [];
  for (;;) {
    const last = found.at(-1);
    const page = await client.get('/api/instances', {
      query: {
        limit: PAGE,
        ...(state === undefined ? {} : { state }),
        ...(last === undefined ? {} : { after: last.id }),
      },
    });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}

// Input for a conversation, each piece with its source, so that an error can name the option or the line.

export interface InputText {
  readonly text: string;
  /** `--heartbeat`, or `quote.yaml, line 3`. */
  readonly source: string;
}

export const inputError = (source: string, what: string): RelayError =>
  new RelayError('usage', { what: `${source}: ${what}` });

export function parseText({ text, source }: InputText, most: number): string {
  if (text.trim() === '') throw inputError(source, 'the text is empty.');
  if (text.length > most) throw inputError(source, `the text is longer than ${most} characters.`);
  return text.trim();
}

export function parseTexts(given: readonly InputText[], most: number, mostEach: number): string[] {
  const tooMany = given[most];
  if (tooMany !== undefined) throw inputError(tooMany.source, `give at most ${most}.`);
  return given.map((one) => parseText(one, mostEach));
}

export function parseInterval({ text, source }: InputText): number {
  const ms = parseDuration(text);
  if (ms === null) throw inputError(source, 'give a time such as 90s, 30m, 2h or 1d.');
  if (ms >= CONVERSATION_LIMITS.shortestIntervalMs && ms <= CONVERSATION_LIMITS.longestIntervalMs)
    return ms;
  throw inputError(source, 'the time between follow-ups must be from 1 second to 30 days.');
}

export function parseFollowupLimit({ text, source }: InputText): number {
  const many = /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (many <= CONVERSATION_LIMITS.followups) return many;
  throw inputError(source, `give a whole number from 0 to ${CONVERSATION_LIMITS.followups}.`);
}
