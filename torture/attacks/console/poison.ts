// A demo in which an attacker wrote every text that the console shows: names, messages, drafts, objectives, to-dos,
// facts, schedules, clients, digests, answers of the assistant and errors of the model. Created over the network, the
// API and the model, never by writing to the database.
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';
import type { Demo } from '@relay/testing/e2e/demo';
import { eventually } from '@relay/testing/e2e/gateway';
import { contentOf } from '../carrier.ts';
import { type Attack, textsOf } from '../data.ts';

export const OWNER = '14155550142';
const CARRIER = '14155550199';
const knocking = (index: number): string => `1415556${String(index).padStart(4, '0')}`;
const granted = (index: number): string => `1415557${String(index).padStart(4, '0')}`;
/** Groups, and questions to the assistant, contain this many texts each: a turn for each would only take longer. */
const AT_ONCE = 14;
const LONGEST_SUBJECT = 100;

export interface Poison {
  /** Inputs that were refused, with the error: such a text cannot appear there. */
  readonly refused: readonly string[];
}

export async function poison(demo: Demo, attacks: readonly Attack[]): Promise<Poison> {
  const texts = attacks.map((attack) => textsOf(attack).join('\n'));
  const refused: string[] = [];
  const ask = async (path: string, body: object): Promise<void> => {
    const { status, json } = await demo.relay.call('POST', path, body);
    if (status >= 300) refused.push(`${path}: ${(json as { error?: string } | null)?.error}`);
  };
  let said = 0;
  const next = (): string => texts[said++ % texts.length] ?? '';
  demo.model.play((request) => echo(request, next));

  await demo.phones.add(OWNER, 'Alex');
  await demo.phones.add(CARRIER, 'Carrier');
  for (const [index, text] of texts.entries()) {
    for (const phone of [knocking(index), granted(index)]) {
      await demo.phones.add(phone, 'Somebody');
      demo.simulator.network.account(phone)?.rename(text);
    }
  }
  await demo.link(OWNER);
  await names(demo, texts, ask);
  await messages(demo, attacks);
  await eventually(
    'everything to be answered with a draft',
    async () => {
      const { approvals_waiting: waiting } = await demo.relay.ok<{ approvals_waiting: number }>(
        'GET',
        '/api/status',
      );
      return waiting >= texts.length || undefined;
    },
    240_000,
  );
  await plans(texts, ask);
  await programs(texts, ask);
  // A question with NUL is refused as a whole.
  const questions = texts.filter((text) => !text.includes('\0'));
  for (let at = 0; at < questions.length; at += AT_ONCE)
    await ask('/api/assistant/messages', { text: questions.slice(at, at + AT_ONCE).join('\n') });
  demo.model.play(() => ({ status: 400, raw: JSON.stringify({ error: { message: next() } }) }));
  await ask('/api/assistant/messages', { text: 'and what does the model say?' });
  demo.model.play((request) => echo(request, next));
  return { refused };
}

type Ask = (path: string, body: object) => Promise<void>;

/** People without a grant, people who get drafts, and groups. */
async function names(demo: Demo, texts: readonly string[], ask: Ask): Promise<void> {
  for (const [index, text] of texts.entries()) {
    await ask('/api/whatsapp/permissions', {
      phoneNumber: granted(index),
      displayName: text,
      ...{ canRead: true, canReply: true, canInitiate: true, replyMode: 'draft' },
    });
  }
  await ask('/api/whatsapp/permissions', {
    phoneNumber: CARRIER,
    displayName: 'Carrier',
    canRead: true,
  });
  await Promise.all(
    texts.map((_, index) => demo.phones.send(knocking(index), OWNER, `knock ${index}`)),
  );
  for (const [index, text] of texts.entries()) {
    if (index % AT_ONCE !== 0) continue;
    const group = await demo.phones.group(text.slice(0, LONGEST_SUBJECT), CARRIER, [OWNER]);
    for (const [at, line] of texts.slice(index, index + AT_ONCE).entries())
      await demo.phones.send(CARRIER, group, at % 2 === 0 ? line : `Friday 8 am: ${line}`);
    await eventually(`group ${index}`, async () => {
      const terms = { group, announced: true };
      const { status } = await demo.relay.call('POST', '/api/observed-groups', terms);
      return status === 201 || undefined;
    });
  }
}

/** Each payload in its own field in one chat, and as a message from somebody who gets a draft. */
async function messages(demo: Demo, attacks: readonly Attack[]): Promise<void> {
  const from = demo.simulator.network.account(CARRIER);
  const to = demo.simulator.network.account(OWNER);
  if (from === undefined || to === undefined) throw new Error('nobody is there');
  for (const [index, attack] of attacks.entries()) {
    for (const text of textsOf(attack)) {
      await from.send(to, contentOf(attack.field, text));
      if (attack.field !== 'body') await from.send(to, text);
      await demo.phones.send(granted(index), OWNER, text);
    }
  }
}

async function plans(texts: readonly string[], ask: Ask): Promise<void> {
  for (const [index, text] of texts.entries()) {
    const some = texts.slice(index, index + 3);
    await ask('/api/instances', {
      objective: text,
      target_contact: `+${granted(index)}`,
      todos: some.map((todo) => ({ text: todo })),
      facts: some,
    });
  }
  for (const text of texts)
    await ask('/api/schedules', { to: 'me', text, when: 'every monday 9am' });
}

/** An invalid name is refused; a webhook's address may contain anything. */
async function programs(texts: readonly string[], ask: Ask): Promise<void> {
  for (const [index, text] of texts.entries()) {
    await ask('/api/tokens', { name: text, scopes: ['messages:read'] });
    if (index % AT_ONCE !== 0) continue;
    const url = `http://127.0.0.1:9/${text}`;
    const body = { name: `Hook ${index}`, url, events: ['health'], verify: false };
    await ask('/api/webhooks', body);
  }
}

/** A model that repeats attackers' texts for every agent: in text, tool calls and reasons. */
function echo({ messages: asked, tools = [] }: ChatRequest, next: () => string): Reply | undefined {
  const names = tools.map(({ function: { name } }) => name);
  const isAfterTool = asked.at(-1)?.role === 'tool';
  const text = next();
  if (names.includes('request_human_intervention')) {
    const sent = { name: 'send_message', arguments: { text } };
    const raised = { name: 'request_human_intervention', arguments: { reason: text } };
    return { tool_calls: [text.length % 2 === 0 ? sent : raised] };
  }
  if (names.includes('search_messages') && !isAfterTool)
    return { tool_calls: [{ name: 'search_messages', arguments: { query: text } }] };
  // A request without tools asks for a summary, which has its own format.
  return names.length > 0 || isAfterTool ? { text } : undefined;
}
