// What became of a question to the owner: one sentence, in nobody's words but ours.
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import { stands } from './delivery.ts';
import type { ApprovalAnswer, DeliveryFacts, Reading } from './story.ts';
import { clause, moment, when } from './words.ts';

export interface AskedOwner extends ApprovalAnswer {
  readonly reason: string;
  readonly delivery: DeliveryFacts | null;
}

export function approvalSentence(asked: AskedOwner, reading: Reading): string {
  const { state, decidedAt, expiresAt, delivery, withdrawn } = asked;
  const time = decidedAt === null ? '' : ` ${when(decidedAt, reading)}`;
  switch (state) {
    case 'pending': {
      const last = expiresAt === null ? '' : ` before ${moment(expiresAt, reading)}`;
      return `Waits for your yes${last}: ${because(asked.reason)}.`;
    }
    case 'approved':
      return `You said yes${time}${delivery === null ? '' : `; ${stands('it', delivery, reading)}`}.`;
    case 'rejected':
      return `You said no${time}, so it was not done.`;
    case 'expired':
      return withdrawn === null
        ? 'Nobody said yes in time, so it was not done.'
        : 'It was taken back before you answered, so it was not done.';
    case 'gone':
      return 'It is no longer kept, and was never approved.';
  }
}

const because = (reason: string): string =>
  Object.hasOwn(REASONS, reason) ? clause(REASONS[reason as ReasonCode].sentence) : reason;
