// Every moment of every page, by name.
import { APPROVALS } from './approvals.ts';
import { ASSISTANT } from './assistant.ts';
import { CHATS } from './chats.ts';
import { CONVERSATION } from './conversation.ts';
import { CONVERSATIONS } from './conversations.ts';
import { GROUPS } from './groups.ts';
import { HOME } from './home.ts';
import { LEDGER } from './ledger.ts';
import type { Moments } from './moment.ts';
import { PEOPLE } from './people.ts';
import { SCHEDULES } from './schedules.ts';
import { SEARCH } from './search.ts';
import { SETTINGS } from './settings.ts';
import { TOOLS } from './tools.ts';

export const MOMENTS: Moments = {
  ...HOME,
  ...APPROVALS,
  ...CONVERSATIONS,
  ...CONVERSATION,
  ...CHATS,
  ...ASSISTANT,
  ...SCHEDULES,
  ...PEOPLE,
  ...GROUPS,
  ...SEARCH,
  ...LEDGER,
  ...SETTINGS,
  ...TOOLS,
};
