// The owner's options for one observed group, with the settings as defaults, and the announcement.

import type { ObserverSettings } from '@relay/contract/settings';
import { z } from 'zod';

export const observedOptionsSchema = z.object({
  assistant_name: z.string().trim().min(2).max(40).optional(),
  answers_per_day: z.int().min(0).max(100).optional(),
});

export type ObservedOptions = z.infer<typeof observedOptionsSchema>;

interface ObservedTerms {
  readonly assistantName: string;
  readonly answersPerDay: number;
  readonly minutesBetweenAnswers: number;
}

export const effectiveTerms = (
  { assistant_name, answers_per_day }: ObservedOptions,
  settings: ObserverSettings,
): ObservedTerms => ({
  assistantName: assistant_name ?? settings.assistant_name,
  answersPerDay: answers_per_day ?? settings.answers_per_day,
  minutesBetweenAnswers: settings.minutes_between_answers,
});

// The sentence with which an owner can tell a group that it is observed.

export const announcementFor = (
  { assistantName }: Pick<ObservedTerms, 'assistantName'>,
  days: number,
): string =>
  `For your information: my assistant ${assistantName} reads this group, files and voice messages included, and writes digests for me. It writes here only when I ask it by name, and deletes the messages after ${days} days. Tell me if you mind.`;
