// The verbs of delegated conversations, as routes, commands and other agents call them.
// Implemented by flows/conversation; every refusal is a RelayError from the one table.
import type {
  ConversationInstance,
  CreateInstanceRequest,
  CreateInstanceResponse,
  ListInstancesQuery,
  StateTransition,
  TranscriptLine,
} from '../api/instances.ts';
import type { InstanceId } from '../ids.ts';

export interface ConversationVerbs {
  /** The same key with the same request again answers what the first was answered. */
  create(request: CreateInstanceRequest, key?: string): Promise<CreateInstanceResponse>;
  list(query: ListInstancesQuery): Promise<readonly ConversationInstance[]>;
  get(id: InstanceId): Promise<ConversationInstance>;
  /** `after` is the id of a line. */
  transcript(id: InstanceId, after?: string): Promise<readonly TranscriptLine[]>;
  /** Every change of state, the oldest first. */
  transitions(id: InstanceId): Promise<readonly StateTransition[]>;
  cancel(id: InstanceId): Promise<ConversationInstance>;
  pause(id: InstanceId): Promise<ConversationInstance>;
  resume(id: InstanceId): Promise<ConversationInstance>;
  send(id: InstanceId, message: string): Promise<TranscriptLine>;
}
