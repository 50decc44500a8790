// Builds a group's messages for tests, each a minute after the one before.
import type { GroupMessage } from '../message.ts';
import { groupMessage } from './message.ts';

export type Written = Partial<GroupMessage> & Pick<GroupMessage, 'senderName'>;

const BEGIN = Date.UTC(2026, 2, 2, 9);

export const group = (...written: readonly Written[]): readonly GroupMessage[] =>
  written.map((message, n) =>
    groupMessage({
      id: `m${n + 1}`,
      at: new Date(BEGIN + n * 60_000),
      sender: message.senderName.toLowerCase(),
      fromOwner: false,
      ...message,
    }),
  );
