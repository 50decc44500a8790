// The labelled weeks of two groups in the observer's format, for tests, benches and torture.
import { readFileSync } from 'node:fs';
import type { GroupMessage, GroupMessageKind, NoiseCategory } from '@relay/core/observer/message';

export const GROUPS = ['holliday', 'casa-limon'] as const;
export type GroupName = (typeof GROUPS)[number];

export interface LabelledMessage {
  readonly group: GroupName;
  readonly message: GroupMessage;
  readonly lang: string;
  readonly category: NoiseCategory;
  readonly noise: boolean;
  readonly hard: boolean;
}

export interface Week {
  readonly name: string;
  readonly zone: string;
  readonly owner: string;
  readonly messages: readonly LabelledMessage[];
}

interface Row {
  readonly id: string;
  readonly ts: string;
  readonly sender: string;
  readonly senderName: string;
  readonly type: GroupMessageKind;
  readonly text: string;
  readonly quotedId?: string;
  readonly forwarded?: boolean;
  readonly reactionTo?: string;
  readonly mentions?: readonly string[];
  readonly revokes?: string;
  readonly lang: string;
  readonly expect: {
    readonly noise: boolean;
    readonly category: NoiseCategory;
    readonly hard?: boolean;
  };
}

/** The data sets of `relay eval`. */
const SETS = new URL('../../../packages/daemon/src/features/eval/eval-sets/', import.meta.url);

const FILES = {
  holliday: {
    file: 'group-week.jsonl',
    name: 'Holliday',
    zone: 'Asia/Kolkata',
    owner: 'Rohan',
  },
  'casa-limon': {
    file: 'group-work.jsonl',
    name: 'Casa Limón Team',
    zone: 'Europe/London',
    owner: 'Marisol',
  },
} as const satisfies Record<GroupName, object>;

export function readWeek(group: GroupName): Week {
  const { file, name, zone, owner } = FILES[group];
  const lines = readFileSync(new URL(file, SETS), 'utf8').split('\n');
  const messages = lines
    .filter((line) => line !== '')
    .map((line) => labelled(group, owner, JSON.parse(line) as Row));
  return { name, zone, owner, messages };
}

function labelled(group: GroupName, owner: string, row: Row): LabelledMessage {
  return {
    group,
    message: {
      id: row.id,
      at: new Date(row.ts),
      sender: row.sender,
      senderName: row.senderName,
      fromOwner: row.senderName === owner,
      fromAssistant: row.senderName === 'Annie',
      kind: row.type,
      text: row.text,
      quotedId: row.quotedId ?? null,
      forwarded: row.forwarded ?? false,
      reactionTo: row.reactionTo ?? null,
      replaces: row.revokes ?? null,
      mentions: row.mentions ?? [],
    },
    lang: row.lang,
    category: row.expect.category,
    noise: row.expect.noise,
    hard: row.expect.hard ?? false,
  };
}
