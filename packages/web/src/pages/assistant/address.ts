// What the address of the assistant may bring along: a question from another page, put into the field and not asked.
// Pure.

export interface AssistantAddress {
  readonly ask?: string | undefined;
}

export const readAssistantAddress = ({
  ask,
}: Readonly<Record<string, unknown>>): AssistantAddress =>
  ['string', 'number'].includes(typeof ask) ? { ask: String(ask).slice(0, 2_000) } : {};
