// Pages of what a program may read by address. A cursor says where the page before ended and nothing else: the
// token is asked again for every page.
import type { ListResourcesResult, Resource } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Asking } from '../answering.ts';
import { type After, type Listed, listed, mayRead, placeOf } from './listed.ts';
import { CHATS, type Place, uriOf } from './uris.ts';

export const JSON_TYPE = 'application/json';
const PAGE = 100;

export async function listPage(
  { world, program }: Asking,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const after = cursor === undefined ? null : afterIn(cursor);
  const rows = await listed(world, program, { after, limit: PAGE + 1 });
  const page = rows.slice(0, PAGE);
  const last = page.at(-1);
  return {
    resources: [
      ...(after === null && mayRead(program, 'chats') ? [ALL_CHATS] : []),
      ...page.map(shown),
    ],
    ...(rows.length > PAGE && last !== undefined ? { nextCursor: cursorAfter(last) } : {}),
  };
}

const ALL_CHATS: Resource = { uri: uriOf({ kind: 'chats' }), ...CHATS, mimeType: JSON_TYPE };

function shown(row: Listed): Resource {
  const place = placeOf(row);
  return {
    uri: uriOf(place),
    name: row.shown,
    title: `${TITLES[place.kind]} ${row.name}`,
    mimeType: JSON_TYPE,
    ...(row.at === null ? {} : { annotations: { lastModified: row.at.toISOString() } }),
  };
}

const TITLES: Readonly<Record<Place['kind'], string>> = {
  chats: 'Chats',
  chat: 'Chat:',
  digests: 'Digests:',
  day: 'Digests:',
  transcript: 'Conversation with',
};

const cursorSchema = z.tuple([
  z.int().min(0).max(9),
  z.string().regex(/^-?\d{1,20}(\.\d{1,6})?$/),
  z.uuid(),
]);

const cursorAfter = ({ part, age, id }: After): string =>
  Buffer.from(JSON.stringify([part, age, id])).toString('base64url');

function afterIn(cursor: string): After {
  try {
    const [part, age, id] = cursorSchema.parse(
      JSON.parse(Buffer.from(cursor.slice(0, 200), 'base64url').toString('utf8')),
    );
    return { part, age, id };
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'It is no cursor of this list.');
  }
}
