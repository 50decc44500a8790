// What programs do through flows that `mcp` does not know: given by the composition, carried out in the
// transaction of the call, decided by the gate as the program's own act.
import type { CreateInstanceRequest, CreateInstanceResponse } from '@relay/core/api/instances';
import type { InstanceState } from '@relay/core/conversation/states';
import type { ApprovalId, InstanceId, ScheduleId } from '@relay/core/ids';
import type { TokenHolder } from '@relay/core/policy/actors';
import type { Control } from '@relay/core/policy/control';
import type { Decision } from '@relay/core/policy/reasons';
import type { AfterCommit } from '../gate/carry-out.ts';
import type { Circumstances } from '../gate/consider.ts';
import type { AgentsSchedule, AgentsWish } from '../schedule/agent.ts';
import type { Transaction } from '../store/database.ts';

interface Decided {
  readonly decision: Decision;
  readonly after: AfterCommit;
}

export interface ProgramActs {
  createConversation(
    tx: Transaction,
    actor: TokenHolder,
    request: CreateInstanceRequest,
    circumstances: Circumstances,
  ): Promise<
    Decided & {
      /** There exactly if it was allowed. */
      readonly made: CreateInstanceResponse | null;
      /** There exactly if the owner is asked. */
      readonly approval: ApprovalId | null;
    }
  >;
  controlConversation(
    tx: Transaction,
    actor: TokenHolder,
    id: InstanceId,
    control: Control,
  ): Promise<Decided & { readonly state: InstanceState }>;
  scheduleMessage(
    tx: Transaction,
    actor: TokenHolder,
    wish: AgentsWish,
    circumstances: Circumstances,
  ): Promise<AgentsSchedule>;
  cancelSchedule(
    tx: Transaction,
    actor: TokenHolder,
    id: ScheduleId,
  ): Promise<{ readonly decision: Decision }>;
}
