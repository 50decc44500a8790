// What is read by address. Words come from the tool that reads the same: its scope, its bounds, and what it
// writes down before it hands them out. Invariant: what is not there, what may not be read and what is no
// address are answered alike.
import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { RelayError } from '@relay/core/errors';
import type { Asking } from '../answering.ts';
import { callTool } from '../call.ts';
import type { Door } from '../tool.ts';
import { JSON_TYPE } from './list.ts';
import { listed, mayRead, placeOf } from './listed.ts';
import { type Place, placeAt, uriOf } from './uris.ts';

const MOST_CHATS = 100;
const MOST_MESSAGES = 50;

export async function readAt(
  asking: Asking,
  hash: string,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const place = placeAt(uri);
  if (place === null || !mayRead(asking.program, place.kind)) throw new ResourceNotFoundError(uri);
  try {
    const said =
      place.kind === 'chats'
        ? await chats(asking)
        : await callTool(asking.world, hash, ...toolFor(place), { ...QUIET, signal });
    return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(said) }] };
  } catch (error) {
    if (error instanceof RelayError && REFUSED.includes(error.status)) {
      throw new ResourceNotFoundError(uri);
    }
    throw error;
  }
}

const REFUSED: readonly number[] = [400, 403, 404, 409];

const QUIET: Omit<Door, 'signal'> = {
  key: null,
  progress() {},
  confirm: async () => 'cannot',
};

function toolFor(place: Exclude<Place, { kind: 'chats' }>): [tool: string, input: object] {
  switch (place.kind) {
    case 'chat':
      return ['read_messages', { chat_id: place.chat, limit: MOST_MESSAGES }];
    case 'digests':
      return ['get_digest', { group: place.group }];
    case 'day':
      return ['get_digest', { group: place.group, day: place.day }];
    case 'transcript':
      return ['get_conversation', { id: place.conversation, transcript: true }];
  }
}

/** Without a word of anybody: whoever only looks which chats there are has read none of them. */
async function chats({ world, program }: Asking) {
  const rows = await listed(world, program, { parts: ['chat'], after: null, limit: MOST_CHATS });
  return {
    chats: rows.map((row) => ({
      id: row.shown,
      name: row.name,
      uri: uriOf(placeOf(row)),
      unread_count: row.unread,
      last_message_at: row.at?.toISOString() ?? null,
    })),
  };
}
