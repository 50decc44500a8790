// Which part of a conversation a phone shows: it stands in the address. Pure.

export const TABS = { transcript: 'Transcript', plan: 'Plan', history: 'History' } as const;
export type Tab = keyof typeof TABS;

export interface ConversationSearch {
  /** The transcript unless given. */
  readonly tab?: Exclude<Tab, 'transcript'>;
}

export function readConversationSearch(raw: Readonly<Record<string, unknown>>): ConversationSearch {
  return raw.tab === 'plan' || raw.tab === 'history' ? { tab: raw.tab } : {};
}
