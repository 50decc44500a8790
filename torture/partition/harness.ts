// Drives the three sessions of a model from outside: auto-reply, a conversation, and the owner's assistant. It also
// scripts the model in each. Invariant: a request is identified by its own instructions, and an unidentified one is a
// fault.
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';
import { systemText } from '@relay/simulator/model/transcript';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { eventually } from '@relay/testing/e2e/gateway';
import { type Carrier, deliver } from '../attacks/carrier.ts';
import type { Field } from '../attacks/data.ts';
import type { AttackHarness } from '../attacks/harness.ts';
import type { PartitionJudge, Session } from './judge.ts';
import { canariesIn, type Play } from './traitor.ts';

const PATIENCE_MS = 180_000;
const HELLO = 'Hello, this is Mira’s office. It is about the tiles for the kitchen.';
const FROM = /You are answering a WhatsApp message from (.+?)\. What you write is sent/;
const TAG = /\[k-(\w+)\]/;

export class PartitionHarness {
  /** The assistant's tools, as offered to its model. */
  tools: NonNullable<ChatRequest['tools']> = [];
  readonly #world: AttackHarness;
  readonly #judge: PartitionJudge;
  /** By contact for auto-reply and conversations, and one for the assistant. */
  readonly #plays = new Map<string, readonly Play[]>();
  #assistant: Promise<unknown> = Promise.resolve();

  constructor(harness: AttackHarness, judge: PartitionJudge) {
    this.#world = harness;
    this.#judge = judge;
    harness.demo.model.play((request) => this.#answer(request));
  }

  carrier(key: string): Carrier & { readonly key: string; readonly name: string } {
    const { demo, fixtures, owner: to } = this.#world;
    const { name, phone } = fixtures.contacts.find((one) => one.key === key) ?? {
      ...{ name: '', phone: '' },
    };
    const from = demo.simulator.network.account(phone) as SimulatedAccount;
    const group = demo.simulator.network.createGroup({
      ...{ subject: `With ${name}`, owner: from, members: [to] },
    });
    return { key, name, from, to, group };
  }

  /** The contact writes; resolves when the messages were handled. */
  async autoReply(
    carrier: Carrier & { readonly key: string },
    message: { readonly field: Field; readonly texts: readonly string[] },
    plays: readonly Play[],
  ): Promise<string[]> {
    this.#plays.set(`auto_reply ${carrier.key}`, plays);
    const ids = await deliver(carrier, message.field, message.texts);
    await this.#until('auto-reply', async () => {
      const [row] = await this.#world.query<{ routed: number; waiting: number }>(
        `SELECT (SELECT count(DISTINCT subject_id)::int FROM relay.ledger WHERE action = 'route_message' AND subject_id = ANY($1)) AS routed,
           (SELECT count(*)::int FROM relay.session_messages WHERE waiting AND message_id = ANY($1)) AS waiting`,
        [ids],
      );
      return row?.routed === ids.length && row.waiting === 0;
    });
    return ids;
  }

  async conversation(
    carrier: Carrier & { readonly key: string },
    message: { readonly field: Field; readonly texts: readonly string[] },
    plays: readonly Play[],
  ): Promise<void> {
    const { relay } = this.#world.demo;
    const name = `conversation ${carrier.key}`;
    this.#plays.set(name, [send(HELLO)]);
    const { id } = await relay.ok<{ id: string }>('POST', '/api/instances', {
      objective: `Agree on a day to fetch the tiles. [k-${carrier.key}]`,
      target_contact: `+${carrier.from.phone}`,
      todos: [{ text: 'Agree on a day' }],
      heartbeat_config: { interval_ms: 3_600_000, max_followups: 1 },
    });
    await this.#until('a conversation to begin', () => this.#rests(id, 0));
    this.#plays.set(name, plays);
    await deliver(carrier, message.field, message.texts);
    await this.#until('a conversation', () => this.#rests(id, message.texts.length));
    const answer = await relay.call('POST', `/api/instances/${id}/cancel`);
    if (answer.status >= 500) throw new Error(`cancelling answered ${answer.status}`);
  }

  /** The owner asks in the chat with themselves, in a session without history; returns the answer. */
  assistant(question: string, plays: readonly Play[]): Promise<string> {
    const asked = this.#assistant.then(async () => {
      await this.#ask('/new');
      this.#plays.set('assistant', plays);
      return this.#ask(question);
    });
    this.#assistant = asked.catch(() => {});
    return asked;
  }

  async #ask(text: string): Promise<string> {
    const { owner } = this.#world;
    const id = await owner.send(owner, text);
    let answer = '';
    await this.#until('the assistant', async () => {
      const [row] = await this.#world.query<{ content: string }>(
        `SELECT a.content FROM relay.session_messages q JOIN relay.session_messages a
           ON a.account_id = q.account_id AND a.session_id = q.session_id AND a.answers = q.id
         WHERE q.message_id = $1 AND NOT q.waiting`,
        [id],
      );
      answer = row?.content ?? '';
      return row !== undefined;
    });
    return answer;
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    await eventually(what, async () => (await holds()) || undefined, PATIENCE_MS);
  }

  async #rests(instance: string, heard: number): Promise<boolean> {
    const [row] = await this.#world.query<{ rests: boolean }>(
      `SELECT state NOT IN ('CREATED', 'ACTIVE', 'WAITING_FOR_AGENT') AND (unread = 0 OR state = 'NEEDS_HUMAN_INTERVENTION')
         AND (SELECT count(*) FROM relay.instance_messages WHERE instance_id = i.id AND role = 'contact') >= $2 AS rests
       FROM relay.instances i WHERE id = $1`,
      [instance, heard],
    );
    return row?.rests === true;
  }

  #answer(request: ChatRequest): Reply {
    const system = systemText(request);
    const session = this.#sessionOf(system);
    if (session === null) {
      this.#judge.faults.push(`a prompt of nobody's session: ${system.slice(0, 80)}`);
      return { text: 'Who am I?' };
    }
    this.#judge.prompt(request, session);
    if (session.kind === 'assistant' && (request.tools ?? []).length === 0)
      return { text: `Summed up: ${canariesIn(request).join(' ')}` };
    if (session.kind === 'assistant') this.tools = request.tools ?? [];
    const name = session.kind === 'assistant' ? 'assistant' : `${session.kind} ${session.key}`;
    const plays = this.#plays.get(name) ?? [];
    return plays[Math.min(roundOf(request), plays.length - 1)]?.(request) ?? { text: 'Yes?' };
  }

  #sessionOf(system: string): Session | null {
    const tag = TAG.exec(system)?.[1];
    if (tag !== undefined) return { kind: 'conversation', key: tag };
    if (/personal assistant of one person|^Sum up the chat below for its owner/.test(system))
      return { kind: 'assistant' };
    const name = FROM.exec(system)?.[1];
    const contact = this.#world.fixtures.contacts.find((one) => one.name === name);
    return contact === undefined ? null : { kind: 'auto_reply', key: contact.key };
  }
}

export const send =
  (text: string): Play =>
  () => ({ tool_calls: [{ name: 'send_message', arguments: { text } }] });

/** How often the model has answered since the last user message. */
function roundOf({ messages }: ChatRequest): number {
  const since = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(since).filter(({ role }) => role === 'assistant').length;
}
