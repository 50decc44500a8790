// What programs may do, put together: their tokens, and the three doors over the one registry of tools. A part
// of the composition, beside `acting.ts`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '@relay/core/settings';
import { systemClock } from './agent/clock.ts';
import type { ModelSource } from './agent/model.ts';
import type { Config } from './config.ts';
import { summaries } from './flows/assistant/summaries.ts';
import { programConversations } from './flows/conversation/programs.ts';
import type { ConversationWorld } from './flows/conversation/work.ts';
import { tokenVerbs } from './gate/tokens.ts';
import type { HttpDeps } from './http/deps.ts';
import { createQrPicture } from './http/qr-picture.ts';
import { openPrograms } from './mcp/open.ts';
import { Turns } from './mcp/turns.ts';
import type { ProgramWorld } from './mcp/world.ts';
import { scheduleForAgent } from './schedule/agent.ts';
import { cancelSchedule } from './schedule/cancel.ts';
import type { ScheduleWorld } from './schedule/world.ts';
import { ledgerReader } from './store/ledger-reader.ts';
import { programTokens } from './store/tokens.ts';
import { keepsSession } from './store/wire/writable.ts';

type Given =
  | 'transport'
  | 'search'
  | 'conversations'
  | 'schedules'
  | 'digests'
  | 'approvals'
  | 'admins'
  | 'zone';

interface ProgramParts extends ConversationWorld, Pick<ProgramWorld, Given> {
  readonly config: Pick<Config, 'pollMs'>;
  readonly settings: Settings;
  readonly scheduling: ScheduleWorld;
  readonly models: ModelSource;
}

export function programsOver(
  parts: ProgramParts,
): Pick<HttpDeps, 'programTokens' | 'programs' | 'tokens'> {
  const { db, lease, gate, events, now, admins, zone, scheduling } = parts;
  const changed = () => events.hint();
  const tokens = programTokens(db, lease.account);
  const begun = programConversations(parts);
  const picture = createQrPicture();
  const programs = openPrograms({
    ...parts,
    tokens,
    acts: {
      createConversation: begun.create,
      controlConversation: begun.control,
      scheduleMessage: (...asked) => scheduleForAgent(scheduling, ...asked),
      cancelSchedule: (...asked) => cancelSchedule(scheduling, ...asked),
    },
    summaries: summaries({ ...parts, clock: systemClock }),
    ledger: ledgerReader({ db, account: lease.account, admins, now, zone }),
    turns: new Turns(),
    wait: async (ms, signal) => sleep(ms, undefined, { signal }),
    keepsSession: () => keepsSession(db, lease),
    picture: async (qr) => (await picture(qr)).replace(/^data:image\/png;base64,/, ''),
    pollMs: parts.config.pollMs,
    changed: () => {
      gate.hint();
      changed();
    },
  });
  return {
    programTokens: tokens,
    programs,
    tokens: tokenVerbs({ db, lease, changed, onRevoke: begun.pauseBegunBy }),
  };
}
