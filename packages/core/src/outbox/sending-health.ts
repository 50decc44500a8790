// Judges the health of sending as one color, one code and one sentence: red when WhatsApp stops this account, amber
// when the owner should look, green otherwise. The worst condition counts.
import type { SendingHealth } from '@relay/contract/api/status';
import type { PacingSettings } from '@relay/contract/settings';
import { type Freeze, freezeSentence } from './freeze.ts';

export function judgeSending(
  freeze: Freeze | null,
  { unknown, failed, sent_today }: Pick<SendingHealth, 'unknown' | 'failed' | 'sent_today'>,
  { enabled, per_day }: Pick<PacingSettings, 'enabled' | 'per_day'>,
): Pick<SendingHealth, 'light' | 'code' | 'sentence'> {
  if (freeze !== null) {
    const light = freeze.cause === 'stranger_refused' ? 'amber' : 'red';
    return { light, code: freeze.cause, sentence: freezeSentence(freeze) };
  }
  if (unknown > 0) {
    return {
      light: 'amber',
      code: 'unknown',
      sentence: `It is unknown whether ${count(unknown)} arrived. Check the chat on your phone before you send again.`,
    };
  }
  if (failed > 0) {
    return {
      light: 'amber',
      code: 'failed',
      sentence: `${count(failed)} failed within the last day. Each message shows the reason.`,
    };
  }
  if (enabled && sent_today >= per_day) {
    return {
      light: 'amber',
      code: 'day_limit',
      sentence: `The limit of ${per_day} messages per day is reached. Further messages are queued.`,
    };
  }
  return { light: 'green', code: 'normal', sentence: 'Sending works normally.' };
}

const count = (n: number) => (n === 1 ? '1 message' : `${n} messages`);
