// The digest set: the labelled week of each group, cut into days with what their digests must and must not
// tell. Pure. Messages are judged and masked as those of an observed group are.
import { z } from 'zod';
import { GROUP_MESSAGE_KINDS, type GroupMessage } from '../observer/message.ts';
import { judge } from '../observer/noise/judge.ts';
import type { Judged } from '../observer/verdict.ts';
import { LEAK_REASONS } from './labels.ts';

export const groupLineSchema = z.object({
  id: z.string(),
  ts: z.string(),
  sender: z.string(),
  senderName: z.string(),
  type: z.enum(GROUP_MESSAGE_KINDS),
  text: z.string(),
  quotedId: z.string().optional(),
  forwarded: z.boolean().optional(),
  reactionTo: z.string().optional(),
  mentions: z.array(z.string()).optional(),
  revokes: z.string().optional(),
});
export type GroupLine = z.infer<typeof groupLineSchema>;

const factSchema = z.object({ id: z.string(), fact: z.string() });
const forbiddenSchema = factSchema.extend({ reason: z.enum(LEAK_REASONS), pattern: z.string() });
export type DayFact = z.infer<typeof factSchema>;
export type Forbidden = z.infer<typeof forbiddenSchema>;

const personSchema = z.object({ jid: z.string(), name: z.string() });

export const digestSetSchema = z.object({
  groups: z.record(
    z.string(),
    z.object({
      name: z.string(),
      file: z.string(),
      tz: z.string(),
      owner: personSchema,
      assistant: personSchema,
      members: z.array(personSchema),
      days: z.record(
        z.string(),
        z.object({ mustContain: z.array(factSchema), mustNotContain: z.array(forbiddenSchema) }),
      ),
    }),
  ),
});
export type SetGroup = z.infer<typeof digestSetSchema>['groups'][string];

export interface DayCase {
  readonly group: string;
  readonly zone: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** What was said on that day. */
  readonly judged: readonly Judged[];
  /** Members by the digits of a mention. */
  readonly names: ReadonlyMap<string, string>;
  readonly facts: readonly DayFact[];
  readonly forbidden: readonly Forbidden[];
}

const LOOKED_BACK = 30;

export function daysOf(group: SetGroup, lines: readonly GroupLine[]): readonly DayCase[] {
  const messages = lines.map((line) => messageOf(line, group));
  const judged = messages.map((message, place) => ({
    message,
    verdict: judge(message, messages.slice(Math.max(0, place - LOOKED_BACK), place)),
  }));
  const names = new Map(group.members.map(({ jid, name }) => [jid.replace(/@.*$/, ''), name]));
  return Object.entries(group.days).map(([day, { mustContain, mustNotContain }]) => ({
    group: group.name,
    zone: group.tz,
    day,
    judged: judged.filter((_, place) => lines[place]?.ts.startsWith(day)),
    names,
    facts: mustContain,
    forbidden: mustNotContain,
  }));
}

function messageOf(line: GroupLine, { owner, assistant }: SetGroup): GroupMessage {
  return {
    id: line.id,
    at: new Date(line.ts),
    sender: line.sender,
    senderName: line.senderName,
    fromOwner: line.sender === owner.jid,
    fromAssistant: line.sender === assistant.jid,
    kind: line.type,
    text: line.text,
    quotedId: line.quotedId ?? null,
    forwarded: line.forwarded ?? false,
    reactionTo: line.reactionTo ?? null,
    replaces: line.revokes ?? null,
    mentions: line.mentions ?? [],
  };
}
