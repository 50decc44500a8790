// What the owner set for one observed group; where they set nothing, the settings hold.
import { z } from 'zod';
import type { ObserverSettings } from '../settings.ts';

export const observedOptionsSchema = z.object({
  assistant_name: z.string().trim().min(2).max(40).optional(),
  answers_per_day: z.int().min(0).max(100).optional(),
});

export type ObservedOptions = z.infer<typeof observedOptionsSchema>;

export interface ObservedTerms {
  readonly assistantName: string;
  readonly answersPerDay: number;
  readonly minutesBetweenAnswers: number;
}

export const termsOf = (
  { assistant_name, answers_per_day }: ObservedOptions,
  settings: ObserverSettings,
): ObservedTerms => ({
  assistantName: assistant_name ?? settings.assistant_name,
  answersPerDay: answers_per_day ?? settings.answers_per_day,
  minutesBetweenAnswers: settings.minutes_between_answers,
});
