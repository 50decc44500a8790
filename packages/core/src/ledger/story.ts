// The facts about one message from which its explanation is written. Names are resolved for people; the message's text
// is not included.
import type { ApprovalState } from '@relay/contract/api/approvals';
import type {
  ApprovalId,
  InstanceId,
  MessageId,
  OutboxId,
  RunId,
  ScheduleId,
} from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';

/** The other side: the person, the group, or the owner's own chat. */
export interface StoryChat {
  readonly kind: 'direct' | 'group' | 'own';
  /** The owner's name for them, else their profile name, else the number. */
  readonly name: string;
}

export interface RunFacts {
  readonly id: RunId;
  readonly state: 'running' | 'done' | 'failed' | 'discarded';
  /** Null before the first model call. */
  readonly model: string | null;
}

export interface ApprovalAnswer {
  readonly id: ApprovalId;
  /** `gone`: no longer kept, which only happens to those never approved. */
  readonly state: ApprovalState | 'gone';
  /** Whether the owner edited the text. */
  readonly edited: boolean;
  readonly decidedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Why it was withdrawn, if it did not simply expire. */
  readonly withdrawn: string | null;
}

/** The delivery state of an outbox message. */
export interface DeliveryFacts {
  readonly id: OutboxId;
  readonly messageId: MessageId;
  readonly state: OutboxState;
  /** When it reached that state, if known. */
  readonly at: Date | null;
  /** Whether an earlier attempt may have been sent after all. */
  readonly inDoubt: boolean;
  /** Why it failed, as shown to people. */
  readonly failure: string | null;
  /** Why the re-check stopped it, as in the ledger. */
  readonly stop: string | null;
  readonly waitsFor: 'hold' | 'paused' | null;
}

export interface ConversationPart {
  readonly id: InstanceId;
  readonly objective: string;
  readonly state: string;
  /** The run that read this message. */
  readonly run: RunFacts | null;
  /** The messages of that run. */
  readonly answers: readonly DeliveryFacts[];
  /** The approval that the run requested. */
  readonly approval: ApprovalAnswer | null;
}

/** What auto-reply or the assistant did with it. */
export interface AnswerPart {
  /** Null before its turn. */
  readonly reason: string | null;
  readonly run: RunFacts | null;
  readonly answer: DeliveryFacts | null;
  readonly approval: ApprovalAnswer | null;
  readonly until: Date | null;
  /** The gate's reason for a refusal, a reason of the policy. */
  readonly refusal: string | null;
}

/** A message that was received, or typed by the owner on a phone. */
export interface InboundStory {
  readonly way: 'in';
  readonly place: StoryChat;
  /** Who wrote it, also in a group. */
  readonly from: string;
  readonly at: Date;
  /** Null before it was routed. */
  readonly route: { readonly outcome: string; readonly reason: string } | null;
  readonly conversation: ConversationPart | null;
  readonly answer: AnswerPart | null;
}

/** A message that Relay sent or is going to send. */
export interface OutboundStory {
  readonly way: 'out';
  readonly place: StoryChat;
  readonly at: Date;
  /** The ledger's form, such as `conversation:…`. */
  readonly actor: string;
  readonly reason: string;
  readonly run: RunFacts | null;
  readonly conversation: Pick<ConversationPart, 'id' | 'objective'> | null;
  /** The name of the client that wrote it, if one did. */
  readonly program: string | null;
  readonly schedule: { readonly id: ScheduleId; readonly words: string } | null;
  readonly approval: ApprovalAnswer | null;
  /** When the message that it answers was written, if it answers one. */
  readonly answers: Date | null;
  readonly delivery: DeliveryFacts;
}

export type MessageStory = InboundStory | OutboundStory;

/** For readers who may not see a conversation's objective: replaces it with the id. */
export function withoutObjective(story: MessageStory): MessageStory {
  const { conversation } = story;
  if (conversation === null) return story;
  const nameless = { objective: conversation.id.slice(0, 8) };
  return story.way === 'out'
    ? { ...story, conversation: { ...conversation, ...nameless } }
    : { ...story, conversation: story.conversation && { ...story.conversation, ...nameless } };
}

/** The reader's time and zone. */
export interface ReaderClock {
  readonly now: Date;
  /** IANA. */
  readonly zone: string;
}
