// Looking: chats, messages, search and summaries. Grants are joined in the queries, and every answer says whose text
// is in it.
import { shortened } from '@relay/core/agent/window';
import type { BufferedMessage } from '@relay/core/api/whatsapp';
import { type Taint, UNTAINTED } from '@relay/core/policy/facts';
import type { ChatLine } from '@relay/core/ports/summaries';
import { z } from 'zod';
import { type AgentTool, tool } from '../../agent/tool.ts';
import type { Transaction } from '../../store/database.ts';
import { listPermitted, type Permitted } from '../../store/permitted.ts';
import { readableMessages } from '../../store/readable.ts';
import { answer, type Result, refusal } from './answers.ts';
import { type Call, counted, record } from './calls.ts';
import { whoIs } from './people.ts';
import type { ToolRun } from './run.ts';
import { summarise } from './summary.ts';

const MOST_MESSAGES = 100;
const MOST_CHATS = 100;
const MOST_BODY = 1_500;

const limit = (usual: number, most: number) =>
  z
    .int()
    .min(1)
    .optional()
    .describe(`How many at most: ${usual} unless given, never more than ${most}.`);
const of = (given: number | undefined, usual: number, most: number): number =>
  Math.min(given ?? usual, most);

const CHAT = z.string().max(128).describe('The id of the chat as get_chats gives it.');

const SCHEMAS = {
  get_chats: z.strictObject({ limit: limit(20, MOST_CHATS) }),
  whatsapp_read_messages: z.strictObject({
    contact: z.string().max(64).optional().describe('Phone number to filter by.'),
    limit: limit(20, MOST_MESSAGES),
  }),
  search_messages: z.strictObject({
    query: z.string().min(1).max(400).describe('What to look for, in a few words.'),
    phone_number: CHAT.optional(),
    limit: limit(10, 50),
  }),
  summarize_chat: z.strictObject({
    phone_number: CHAT,
    limit: limit(50, 200),
  }),
};

export const lookupTools = (run: ToolRun): AgentTool[] => [
  tool({
    name: 'get_chats',
    description:
      'Lists the chats you can reach with their ids and names, the most recent first. Call it first whenever your owner names somebody; if more than one chat fits the name, ask which one is meant.',
    schema: SCHEMAS.get_chats,
    run: (input, _signal, id) =>
      looked(run, { id, name: 'get_chats', arguments: input }, async (tx) => {
        const chats = await listPermitted(
          tx,
          run.account,
          run.world.admins,
          of(input.limit, 20, MOST_CHATS),
        );
        const twice = namesOfSeveral(chats);
        return own({
          chats: chats.map(shownChat),
          ...(twice.length === 0
            ? {}
            : { note: `More than one chat has this name, so ask which one: ${twice.join(', ')}.` }),
        });
      }),
  }),
  tool({
    name: 'whatsapp_read_messages',
    description:
      'Reads recent messages: of one contact, who needs canRead, or of all contacts with canRead.',
    schema: SCHEMAS.whatsapp_read_messages,
    run: (input, _signal, id) =>
      looked(run, { id, name: 'whatsapp_read_messages', arguments: input }, async (tx) => {
        const most = of(input.limit, 20, MOST_MESSAGES);
        if (!input.contact?.trim()) return seen(await read(run, tx, { limit: most }));
        const whom = await readable(run, tx, input.contact);
        if ('refused' in whom) return own(whom.refused);
        const { chat } = whom;
        return chat === null
          ? own({ messages: [] })
          : seen(await read(run, tx, { chat, limit: most }));
      }),
  }),
  tool({
    name: 'search_messages',
    description: 'Finds past messages by what they say, in all chats that may be read or in one.',
    schema: SCHEMAS.search_messages,
    run: (input, _signal, id) =>
      looked(run, { id, name: 'search_messages', arguments: input }, async (tx) => {
        const whom =
          input.phone_number === undefined ? null : await readable(run, tx, input.phone_number);
        if (whom !== null && 'refused' in whom) return own(whom.refused);
        if (whom !== null && whom.chat === null) return own({ messages: [] });
        const found = await run.world.find(input.query, {
          limit: of(input.limit, 10, 50),
          ...(whom?.chat ? { chat: whom.chat } : {}),
        });
        const unsure = found.length > 0 && found.every(({ sure }) => sure === false);
        const result = {
          ...(unsure ? { note: 'Nothing is surely about it; these come nearest.' } : {}),
          messages: found.map(({ at, sender, text }) => ({
            timestamp: at.toISOString(),
            sender,
            text: shortened(text, MOST_BODY),
          })),
        };
        return { result, from: { ...UNTAINTED, chats: found.map(({ chat }) => chat) } };
      }),
  }),
  tool({
    name: 'summarize_chat',
    description: 'Sums up the last messages of one chat that may be read.',
    schema: SCHEMAS.summarize_chat,
    timeoutMs: 90_000,
    run: async (input, _signal, id) => {
      const call = { id, name: 'summarize_chat', arguments: input };
      const { name, said, result } = await run.write(async (tx) => {
        const to = await readable(run, tx, input.phone_number);
        const chat = 'refused' in to ? null : to.chat;
        const said =
          chat === null ? null : await read(run, tx, { chat, limit: of(input.limit, 50, 200) });
        const result =
          'refused' in to
            ? to.refused
            : { chat: to.address, name: to.name, messages: said?.messages.length ?? 0 };
        await record(tx, run, call, { result: counted(result), effect: null });
        return { name: 'refused' in to ? '' : to.name, said, result };
      });
      if (said === null || said.messages.length === 0) return answer(result, UNTAINTED);
      const summary = await summarise(run, name, said.messages.map(lineOf), said.from);
      return answer({ ...result, summary: summary.text }, summary.from);
    },
  }),
];

interface Looked {
  readonly result: Result;
  /** Whose text is in it. */
  readonly from: Taint;
}

/** What is Relay's and the owner's alone. */
export const own = (result: Result): Looked => ({ result, from: UNTAINTED });

/** One transaction: what is read, and the call; of the words only how many is kept. */
export async function looked(run: ToolRun, call: Call, look: (tx: Transaction) => Promise<Looked>) {
  const { result, from } = await run.write(async (tx) => {
    const found = await look(tx);
    await record(tx, run, call, { result: counted(found.result), effect: null });
    return found;
  });
  return answer(result, from);
}

interface Read {
  readonly messages: readonly BufferedMessage[];
  readonly from: Taint;
}

const seen = ({ messages, from }: Read): Looked => ({ result: { messages }, from });

async function readable(
  run: ToolRun,
  tx: Transaction,
  text: string,
): Promise<Permitted | { readonly refused: Result }> {
  const whom = await whoIs(run, tx, text);
  if ('refused' in whom || whom.canRead) return whom;
  return { refused: refusal(`Reading ${whom.name} is not allowed: canRead is false.`) };
}

async function read(
  run: ToolRun,
  tx: Transaction,
  query: Parameters<typeof readableMessages>[3],
): Promise<Read> {
  const { messages, chats } = await readableMessages(tx, run.account, run.world.admins, query);
  return {
    messages: messages.map((message) => ({ ...message, body: shortened(message.body, MOST_BODY) })),
    from: { ...UNTAINTED, chats },
  };
}

const lineOf = ({ timestamp, from, fromName, fromMe, body }: BufferedMessage): ChatLine => ({
  at: new Date(timestamp),
  who: fromMe ? null : (fromName ?? from),
  text: body,
});

const shownChat = ({
  address,
  name,
  kind,
  phone,
  canRead,
  canReply,
  lastMessageAt,
}: Permitted) => ({
  id: address,
  name,
  kind,
  phone_number: phone,
  canRead,
  canReply,
  last_message_at: lastMessageAt?.toISOString() ?? null,
});

function namesOfSeveral(chats: readonly Permitted[]): string[] {
  const names = chats.filter(({ kind }) => kind !== 'own').map(({ name }) => name.toLowerCase());
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}
