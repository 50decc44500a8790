// What is known of one message, as the store reads it from its rows: the ground of the one sentence that
// says why. Names are resolved for people to read; the words of the message are nowhere in it.
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
  /** As the owner calls them, else as they call themselves, else the number. */
  readonly name: string;
}

export interface RunFacts {
  readonly id: RunId;
  readonly state: 'running' | 'done' | 'failed' | 'discarded';
  /** Null before the first call of a model. */
  readonly model: string | null;
}

export interface ApprovalAnswer {
  readonly id: ApprovalId;
  /** `gone`: no longer kept, as only what was never approved is. */
  readonly state: ApprovalState | 'gone';
  /** The owner chose its words. */
  readonly edited: boolean;
  readonly decidedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Why it was taken back, of one that did not just run out. */
  readonly withdrawn: string | null;
}

/** How far a message of the outbox has come. */
export interface DeliveryFacts {
  readonly id: OutboxId;
  readonly messageId: MessageId;
  readonly state: OutboxState;
  /** When it came to that state, where that is kept. */
  readonly at: Date | null;
  /** An attempt before may have left all the same. */
  readonly inDoubt: boolean;
  /** Why it failed, as people were told. */
  readonly failure: string | null;
  /** Why the re-check stopped it, as the ledger has it. */
  readonly stop: string | null;
  readonly waitsFor: 'hold' | 'paused' | null;
}

export interface ConversationPart {
  readonly id: InstanceId;
  readonly objective: string;
  readonly state: string;
  /** The run that was shown this message. */
  readonly run: RunFacts | null;
  /** What that run said. */
  readonly answers: readonly DeliveryFacts[];
  /** What that run wanted to say and a person must see first. */
  readonly approval: ApprovalAnswer | null;
}

/** What auto-reply or the assistant made of it. */
export interface AnswerPart {
  /** Null while it is nobody's turn yet. */
  readonly reason: string | null;
  readonly run: RunFacts | null;
  readonly answer: DeliveryFacts | null;
  readonly approval: ApprovalAnswer | null;
  readonly until: Date | null;
  /** Why the gate refused it, as a reason of the policy. */
  readonly refusal: string | null;
}

/** Received, or typed by the owner on a phone. */
export interface InboundStory {
  readonly way: 'in';
  readonly place: StoryChat;
  /** Who wrote it, in a group too. */
  readonly from: string;
  readonly at: Date;
  /** Null while the router has not looked at it. */
  readonly route: { readonly outcome: string; readonly reason: string } | null;
  readonly conversation: ConversationPart | null;
  readonly answer: AnswerPart | null;
}

/** Sent by Relay, or waiting to be. */
export interface OutboundStory {
  readonly way: 'out';
  readonly place: StoryChat;
  readonly at: Date;
  /** As the ledger names it, `conversation:…`. */
  readonly actor: string;
  readonly reason: string;
  readonly run: RunFacts | null;
  readonly conversation: Pick<ConversationPart, 'id' | 'objective'> | null;
  /** What the owner calls the program that wrote it, where one did. */
  readonly program: string | null;
  readonly schedule: { readonly id: ScheduleId; readonly words: string } | null;
  readonly approval: ApprovalAnswer | null;
  /** When the message was written that it answers, where it answers one. */
  readonly answers: Date | null;
  readonly delivery: DeliveryFacts;
}

export type MessageStory = InboundStory | OutboundStory;

/** For whoever may not read what a conversation is about: it goes by its id. */
export function withoutObjective(story: MessageStory): MessageStory {
  const { conversation } = story;
  if (conversation === null) return story;
  const nameless = { objective: conversation.id.slice(0, 8) };
  return story.way === 'out'
    ? { ...story, conversation: { ...conversation, ...nameless } }
    : { ...story, conversation: story.conversation && { ...story.conversation, ...nameless } };
}

/** Where and when the sentence is read. */
export interface ReaderClock {
  readonly now: Date;
  /** IANA. */
  readonly zone: string;
}
