// The verbs of delegated conversations, as routes, commands and other agents call them.
// Implemented by flows/conversation; every refusal is a RelayError from the one table.
import type {
  ConversationInstance,
  CreateInstanceRequest,
  CreateInstanceResponse,
  InstanceCounts,
  ListedInstance,
  ListInstancesQuery,
  StateTransition,
  TranscriptLine,
  TranscriptQuery,
} from '../api/instances.ts';
import type { InstanceId } from '../ids.ts';

export interface ConversationVerbs {
  /** The same key with the same request again answers what the first was answered. */
  create(request: CreateInstanceRequest, key?: string): Promise<CreateInstanceResponse>;
  list(query: ListInstancesQuery): Promise<readonly ListedInstance[]>;
  /** How many there are of each state and of each turn. */
  counts(): Promise<InstanceCounts>;
  get(id: InstanceId): Promise<ListedInstance>;
  /** The oldest line first, whichever part of it is asked for. */
  transcript(id: InstanceId, query?: TranscriptQuery): Promise<readonly TranscriptLine[]>;
  /** Every change of state, the oldest first. */
  transitions(id: InstanceId): Promise<readonly StateTransition[]>;
  cancel(id: InstanceId): Promise<ConversationInstance>;
  pause(id: InstanceId): Promise<ConversationInstance>;
  resume(id: InstanceId): Promise<ConversationInstance>;
  /** The same key with the same message again sends nothing and answers with the line that there is. */
  send(id: InstanceId, message: string, key?: string): Promise<TranscriptLine>;
}
