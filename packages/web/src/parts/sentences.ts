// Sentences that the daemon composes, in the reader's language by their codes. For a code without a text, the daemon's
// English sentence is shown.
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { SendingHealth } from '@relay/contract/api/status';
import { formatLocale, isTextId, type MessageValues, t } from '../i18n.ts';

const textOf = (id: string, values?: MessageValues): string | undefined =>
  isTextId(id) ? t(id, values) : undefined;

/** A reason of the policy. */
export const reasonSentence = (code: string, sentence: string): string =>
  textOf(`decisions.reason.${code}`) ?? sentence;

/** The reason of a row of the ledger, with what the agent had read before. */
export function decisionSentence({
  action,
  reason,
  sentence,
  read_before,
}: Pick<LedgerLine, 'action' | 'reason' | 'sentence' | 'read_before'>): string {
  const text =
    textOf(`decisions.reason.${action}.${reason}`) ?? textOf(`decisions.reason.${reason}`);
  if (text === undefined) return sentence;
  const sources = sourcesReadBefore(read_before);
  return sources === null ? text : `${text} ${t('common.readBefore', { sources })}`;
}

/** Whose texts were read before. */
export function sourcesReadBefore(read: LedgerLine['read_before']): string | null {
  if (read === null) return null;
  const { names, more, outside } = read;
  return new Intl.ListFormat(formatLocale(), { type: 'conjunction' }).format([
    ...names,
    ...(more === 0 ? [] : [t('common.readBefore.more', { count: more, named: names.length })]),
    ...(outside ? [t('common.readBefore.outside')] : []),
  ]);
}

/** What a row of the ledger is about, such as `write a message`. */
export const decisionAction = ({ action, what }: Pick<LedgerLine, 'action' | 'what'>): string =>
  textOf(`decisions.action.${action}`) ?? what;

export function sendingSentence(sending: SendingHealth): string {
  const { code, sentence, frozen_until: until, caps, unknown, failed } = sending;
  return (
    textOf(`common.sending.${code}`, {
      count: code === 'unknown' ? unknown : failed,
      limit: String(caps.per_day),
      until: until === null ? '' : `${until.slice(0, 16).replace('T', ' ')} UTC`,
    }) ?? sentence
  );
}
