// What the owner reads on WhatsApp when a conversation needs them or has ended: one line, with whom, what
// it was about, why, and what to do next. The parts come from people and models, so each is cut.
import type { InstanceId } from '../ids.ts';
import type { OwnerNews } from './transition.ts';

export interface NoticeParts {
  readonly id: InstanceId;
  readonly contact: string;
  readonly objective: string;
  readonly reason: string;
}

const NOTICES: Readonly<Record<OwnerNews, { readonly says: string; readonly next: string }>> = {
  needs_you: { says: 'needs you', next: 'get' },
  completed: { says: 'is done', next: 'transcript' },
  abandoned: { says: 'was given up', next: 'transcript' },
  failed: { says: 'failed', next: 'get' },
  taken_over: { says: 'is yours now', next: 'resume' },
};

export function noticeFor(about: OwnerNews, { id, contact, objective, reason }: NoticeParts) {
  const { says, next } = NOTICES[about];
  const what = `“${inOneLine(objective, 80)}” with ${inOneLine(contact, 60)} ${says}.`;
  return `Relay: ${what} ${inOneLine(reason, 300)} → relay ${next} ${id}`;
}

function inOneLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join('')}…`;
}
