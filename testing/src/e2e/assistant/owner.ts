// The owner at their phone: writes in the chat with themselves, where the assistant answers, and reads its answers.
// Also scripts the model. Invariant: the newest rule that matches a request wins.
import type { RuleInput } from '@relay/simulator/model/schemas';
import {
  type AcceptanceHarness,
  type AcceptanceOptions,
  ME,
  openAcceptanceHarness,
} from '../acceptance/harness.ts';
import { eventually } from '../gateway.ts';

export { ME };

type Reply = RuleInput['reply'];

export interface Permission {
  readonly id: string;
  readonly phoneNumber: string;
  readonly displayName: string;
  readonly canRead: boolean;
  readonly canReply: boolean;
}

export interface AssistantRequest {
  readonly system: string;
  /** The owner's newest message, with what was appended to it. */
  readonly question: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly string[];
  readonly results: readonly string[];
}

export class OwnersPhone {
  readonly world: AcceptanceHarness;

  constructor(harness: AcceptanceHarness) {
    this.world = harness;
  }

  /** Writes in the chat with oneself. */
  types(text: string): Promise<string> {
    return this.world.phones.send(ME, ME, text);
  }

  /** All messages in the chat with oneself, in order. */
  async chat(): Promise<string[]> {
    return (await this.world.phones.messages(ME, ME)).map(({ text }) => text ?? '');
  }

  /** The assistant's answers without its signature, once there are this many. */
  async answers(count: number): Promise<string[]> {
    return eventually(
      `${count} answers`,
      async () => {
        const answers = (await this.chat()).filter((text) => text.endsWith('\n\n[BOT]'));
        return answers.length >= count ? answers.map((text) => text.slice(0, -7)) : undefined;
      },
      60_000,
    );
  }

  /** Writes a message and returns the answer. */
  async asks(text: string): Promise<string> {
    const before = (await this.chat()).filter((said) => said.endsWith('\n\n[BOT]')).length;
    await this.types(text);
    return (await this.answers(before + 1)).at(-1) ?? '';
  }

  /** Scripts the reply to the owner's words. */
  whenAsked(contains: string, reply: Reply): void {
    this.world.model.rules([{ when: { contains, system: ASSISTANT }, reply }]);
  }

  /** Scripts the reply to a tool result. */
  whenTold(tool_result: string, reply: Reply): void {
    this.world.model.rules([{ when: { tool_result, system: ASSISTANT }, reply }]);
  }

  grant(person: { phone: string; name: string }, canRead: boolean, canReply: boolean) {
    const body = { phoneNumber: person.phone, displayName: person.name, canRead, canReply };
    return this.world.api.ok<Permission>('POST', '/api/whatsapp/permissions', body);
  }

  /** The requests to the assistant's model, oldest first. */
  asked(): AssistantRequest[] {
    return this.world.model.calls().flatMap(({ body }) => {
      const { messages = [], tools = [] } = body as Partial<Wire>;
      const system = textOf(messages.find(({ role }) => role === 'system'));
      if (!system.includes(ASSISTANT)) return [];
      return {
        system,
        question: textOf(messages.findLast(({ role }) => role === 'user')),
        messages: messages.map((message) => ({ role: message.role, content: textOf(message) })),
        tools: tools.map((tool) => tool.function.name),
        results: messages.filter(({ role }) => role === 'tool').map(textOf),
      };
    });
  }
}

/** Part of every prompt of the assistant, and of no other. */
export const ASSISTANT = 'You are the personal assistant of one person';

interface Wire {
  messages: { role: string; content?: string | { text?: string }[] | null }[];
  tools: { function: { name: string } }[];
}

function textOf(message: Wire['messages'][number] | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

export async function openPhone(options: AcceptanceOptions = {}): Promise<OwnersPhone> {
  return new OwnersPhone(await openAcceptanceHarness(options));
}
