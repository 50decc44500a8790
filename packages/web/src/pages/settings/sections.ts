// Which settings stand on which card, in the order of how often somebody looks for them. Pure: a setting that is in
// none of them stands among the rest, so that nothing is ever missing.
import type { SettingShown } from '@relay/core/api/settings';

export interface Section {
  readonly id: string;
  readonly title: string;
  /** What it is about. */
  readonly says: string;
  readonly names: readonly string[];
}

export const SECTIONS: readonly Section[] = [
  {
    id: 'pacing',
    title: 'Pacing',
    says: 'How fast Relay writes. An account that writes like a person is left alone.',
    names: [
      'pacing.per_minute',
      'pacing.per_hour',
      'pacing.per_day',
      'pacing.first_contacts_per_day',
      'pacing.first_contact_freeze_hours',
      'pacing.typing_min_ms',
      'pacing.typing_max_ms',
    ],
  },
  {
    id: 'answers',
    title: 'Answering by itself',
    says: 'Limits for those whom Relay answers without asking you.',
    names: [
      'auto_reply.answers_per_hour',
      'auto_reply.answers_per_day',
      'auto_reply.late_after_hours',
      'tell_owner_on_whatsapp',
    ],
  },
  {
    id: 'budget',
    title: 'Budget',
    says: 'When it is used up, agents rest and you are told.',
    names: [
      'agent.usd_per_day',
      'agent.tokens_per_day',
      'agent.tokens_per_conversation',
      'agent.max_steps',
    ],
  },
  {
    id: 'groups',
    title: 'Observed groups',
    says: 'How your assistant is called there and how often it answers you.',
    names: [
      'observer.assistant_name',
      'observer.answers_per_day',
      'observer.minutes_between_answers',
      'observer.daily_at',
    ],
  },
  {
    id: 'retention',
    title: 'Retention',
    says: 'How long what was read in observed groups is kept. Shorter limits delete at the next run.',
    names: ['retention.observed_messages_days', 'retention.digests_days'],
  },
  {
    id: 'backup',
    title: 'Backup by the clock',
    says: 'At night, or as soon as Relay runs again. Where they lie is set in the file.',
    names: ['backup.every', 'backup.keep'],
  },
  {
    id: 'general',
    title: 'Clock and log',
    says: 'What Relay takes on when it starts.',
    names: ['zone', 'log_level'],
  },
];

/** On a card of their own, or with a form of their own. */
const PLACED = new Set([
  ...SECTIONS.flatMap(({ names }) => names),
  'auto_reply.quiet_hours',
  'agent.instructions',
]);

export const restOf = (settings: readonly SettingShown[]): readonly SettingShown[] =>
  settings.filter(({ name }) => !PLACED.has(name));
