// `get_chats` of seed 002: the chats that the program may read, the newest first, with what was said last, in
// one line. Their names are the owner's, never what people call themselves or a group.
import type { ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import { z } from 'zod';
import { readableChats } from '../../search/scope.ts';
import { CHAT_ADDRESS } from '../../store/addresses.ts';
import { programTool, READS } from '../tool.ts';

const MOST_CHATS = 100;
const MOST_CHARACTERS = 100;

const output = z.object({
  chats: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      last_message: z
        .string()
        .refine((text) => [...text].length <= MOST_CHARACTERS)
        .meta({ maxLength: MOST_CHARACTERS }),
      unread_count: z.int(),
    }),
  ),
});

interface Row {
  chat: ChatId;
  id: string;
  name: string;
  last_message: string;
  unread_count: number;
}

export const getChats = programTool({
  name: 'get_chats',
  title: 'List chats',
  description: 'List recent chats with unread messages',
  scope: 'messages:read',
  hints: READS,
  input: z.strictObject({ unread_only: z.boolean().default(true) }),
  output,
  async run({ world, scope, noteRead }, { unread_only }) {
    const { db, lease, admins } = world;
    const { rows } = await sql<Row>`
      SELECT c.id AS chat, coalesce(${CHAT_ADDRESS}, c.id::text) AS id, coalesce(c.name, ${CHAT_ADDRESS}, c.id::text) AS name, c.unread_count,
        left(trim(regexp_replace(coalesce(l.body, ''), '\\s+', ' ', 'g')), ${MOST_CHARACTERS}) AS last_message
      FROM (
        SELECT p.id, p.account_id, p.contact_id, p.group_address, p.unread_count, p.last_message_at,
          g.display_name AS name
        FROM chats p JOIN grants g ON g.account_id = p.account_id
          AND (g.chat_id = p.id OR g.contact_id = p.contact_id)
        WHERE p.account_id = ${lease.account} AND p.id IN (${readableChats(lease.account, scope, admins)})
          AND (NOT ${unread_only} OR p.unread_count > 0)
        ORDER BY p.last_message_at DESC NULLS LAST, p.id LIMIT ${MOST_CHATS}) c
        LEFT JOIN LATERAL (SELECT m.body FROM messages m WHERE m.account_id = c.account_id AND m.chat_id = c.id
          ORDER BY m.sent_at DESC, m.id DESC LIMIT 1) l ON true
      ORDER BY c.last_message_at DESC NULLS LAST, c.id`.execute(db);
    await noteRead(
      db,
      rows.map(({ chat }) => chat),
    );
    return { chats: rows.map(({ chat: _, ...shown }) => shown) };
  },
});
