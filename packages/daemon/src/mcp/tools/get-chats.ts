// `get_chats` of seed 002: the chats that the program may read, the newest first, with what was said last.
import type { ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import { z } from 'zod';
import { readableChats } from '../../search/scope.ts';
import { programTool, READS } from '../tool.ts';

const MOST_CHATS = 100;
const MOST_CHARACTERS = 100;

const output = z.object({
  chats: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      last_message: z.string().max(MOST_CHARACTERS),
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
      WITH places AS (
        SELECT c.* FROM chats c WHERE c.account_id = ${lease.account}
          AND c.id IN (${readableChats(lease.account, scope, admins)})
        ORDER BY c.last_message_at DESC NULLS LAST, c.id LIMIT ${MOST_CHATS})
      SELECT c.id AS chat, coalesce(c.group_address, s.address, c.id::text) AS id,
        coalesce(g.display_name, c.subject, p.display_name, p.push_name, s.address, '') AS name,
        coalesce(left(l.body, ${MOST_CHARACTERS}), '') AS last_message, c.unread_count
      FROM places c
        LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
        LEFT JOIN grants g ON g.account_id = c.account_id
          AND (g.chat_id = c.id OR g.contact_id = c.contact_id)
        LEFT JOIN LATERAL (SELECT a.value || CASE a.kind WHEN 'phone' THEN '@s.whatsapp.net' ELSE '@lid' END AS address
          FROM contact_aliases a WHERE a.account_id = c.account_id AND a.contact_id = c.contact_id
          ORDER BY a.kind DESC, a.learnt_at DESC LIMIT 1) s ON true
        LEFT JOIN LATERAL (SELECT m.body FROM messages m WHERE m.account_id = c.account_id AND m.chat_id = c.id
          ORDER BY m.sent_at DESC, m.id DESC LIMIT 1) l ON true
      WHERE NOT ${unread_only} OR c.unread_count > 0
      ORDER BY c.last_message_at DESC NULLS LAST, c.id`.execute(db);
    await noteRead(
      db,
      rows.map(({ chat }) => chat),
    );
    return { chats: rows.map(({ chat: _, ...shown }) => shown) };
  },
});
