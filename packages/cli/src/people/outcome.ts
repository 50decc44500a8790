// What is true of a grant after it was changed, in a sentence, and what can be done next. Pure.
import type { Permission } from '@relay/core/api/permissions';
import { grantWords, optionLines } from '@relay/core/contacts/words';
import { oneLine, phone, printable } from '../format.ts';

export function grantLines(permission: Permission): string[] {
  const { canRead, canReply, replyMode, options } = permission;
  return [
    `${whom(permission)}: agents may ${grantWords(permission)}.`,
    ...optionLines(options).map((line) => `  ${printable(line)}`),
    ...(canReply && !canRead
      ? ['They are written to but not read, so they get no automatic replies: add --read.']
      : []),
    ...(canReply && canRead && replyMode === 'draft'
      ? ['Replies wait under `relay approvals` until you say yes.']
      : []),
  ];
}

export function whom({ displayName, phoneNumber, jid }: Permission): string {
  const address = phoneNumber === null ? oneLine(jid ?? '') : phone(phoneNumber);
  const name = oneLine(displayName);
  return name === address || address === '' ? name : `${name} (${address})`;
}

/** As a word of a command. */
export const typed = ({ displayName, phoneNumber }: Permission): string => {
  const name = oneLine(displayName);
  if (phoneNumber !== null) return phone(phoneNumber);
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
};
