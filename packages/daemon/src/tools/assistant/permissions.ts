// Permissions: seed 000's two tools. The model proposes; the gate finds out which way a change goes, lets
// what narrows happen at once and asks the owner for what widens.
import { phoneAlias } from '@relay/core/contacts/alias';
import type { Grant } from '@relay/core/contacts/grants';
import { UNTAINTED } from '@relay/core/policy/facts';
import { z } from 'zod';
import { type AgentTool, tool } from '../../agent/tool.ts';
import { meet } from '../../store/contacts.ts';
import type { Transaction } from '../../store/database.ts';
import { findPermitted, listPermitted, type Permitted } from '../../store/permitted.ts';
import { answer, refusal } from './answers.ts';
import { type Attempt, attempt, short, type Unprepared } from './attempt.ts';
import { record } from './calls.ts';
import type { ToolRun } from './run.ts';
import { waiting } from './send.ts';

const ALL = 100_000;

const SCHEMAS = {
  whatsapp_manage_permission: z.strictObject({
    action: z.enum(['grant', 'update', 'revoke', 'remove']),
    phoneNumber: z.string().max(64).describe('Digits only.'),
    displayName: z
      .string()
      .trim()
      .max(100)
      .optional()
      .describe('Human label; required when action is "grant".'),
    canRead: z.boolean().optional().describe('Defaults to true on "grant".'),
    canReply: z.boolean().optional().describe('Defaults to false on "grant".'),
  }),
  whatsapp_list_permissions: z.strictObject({}),
};

type Wanted = z.output<typeof SCHEMAS.whatsapp_manage_permission>;

export const permissionTools = (run: ToolRun): AgentTool[] => [
  tool({
    name: 'whatsapp_manage_permission',
    description:
      'Manages whom you may read and write to: "grant" creates a record, "update" changes one, "revoke" sets canRead and canReply to false, "remove" deletes it. What widens a permission waits for your owner\'s yes, and so does what narrows one after you have read the words of others.',
    schema: SCHEMAS.whatsapp_manage_permission,
    ...waiting(run),
    run: (input, signal, id) =>
      attempt(run, { id, name: 'whatsapp_manage_permission', arguments: input }, signal, (tx) =>
        changing(run, tx, input),
      ),
  }),
  tool({
    name: 'whatsapp_list_permissions',
    description: 'Lists all permission records: phone number, name, canRead and canReply.',
    schema: SCHEMAS.whatsapp_list_permissions,
    run: async (input, _signal, id) => {
      const permissions = await run.write(async (tx) => {
        const records = await permissionRecords(tx, run);
        const call = { id, name: 'whatsapp_list_permissions', arguments: input };
        await record(tx, run, call, { result: { permissions: records.length }, effect: null });
        return records;
      });
      const shown = permissions.map(({ phone, name, canRead, canReply }) => ({
        phoneNumber: phone,
        displayName: name,
        canRead,
        canReply,
      }));
      return answer({ permissions: shown }, UNTAINTED);
    },
  }),
];

/** Of people, by name. */
async function permissionRecords(tx: Transaction, run: ToolRun): Promise<Permitted[]> {
  const all = await listPermitted(tx, run.account, run.world.admins, ALL);
  return all.filter(({ kind }) => kind === 'direct').sort((a, b) => a.name.localeCompare(b.name));
}

async function changing(
  run: ToolRun,
  tx: Transaction,
  wanted: Wanted,
): Promise<Attempt | Unprepared> {
  const refuse = (error: string): Unprepared => ({ refused: refusal(error) });
  const alias = phoneAlias(wanted.phoneNumber);
  if (alias === null) return refuse('Invalid phone number');
  const before = await findPermitted(tx, run.account, run.world.admins, { alias });
  if (before?.kind === 'own') return refuse('This is the own number of your owner.');
  if (before === null && wanted.action !== 'grant') return refuse('Permission not found');
  if (wanted.action === 'grant' && !wanted.displayName)
    return refuse('displayName is required to grant a permission');
  const named = wanted.displayName || null;
  const contact = before?.contact ?? (await meet(tx, run.account, [[alias]]))[0];
  if (contact === undefined) throw new Error('a number without a contact');
  return proposal(run, wanted, {
    of: { kind: 'contact', contact },
    displayName: named,
    grant: grantAfter(before, wanted),
    shown: `${named ?? before?.name ?? ''} (+${alias.value})`,
    phoneNumber: alias.value,
  });
}

interface Change {
  readonly of: { readonly kind: 'contact'; readonly contact: NonNullable<Permitted['contact']> };
  readonly displayName: string | null;
  readonly grant: Grant | null;
  readonly shown: string;
  readonly phoneNumber: string;
}

function proposal(
  run: ToolRun,
  { action }: Wanted,
  { of, displayName, grant, shown, phoneNumber }: Change,
): Attempt {
  const [did, would] = WORDS[action];
  return {
    did: `${did} ${shown}`,
    would: `${would} ${shown}`,
    submit: (tx, circumstances) =>
      run.world.gate.submit(
        tx,
        run.actor,
        { kind: 'manage_grant', of, displayName, grant },
        circumstances,
      ),
    done: () => ({ success: true, action, phoneNumber }),
    waits: (approval, why) =>
      refusal(
        `Not done: it waits for your owner's yes, who says it with /approve ${short(approval)}. ${why}`,
        { approval_id: approval },
      ),
  };
}

const WORDS: Readonly<Record<Wanted['action'], readonly [did: string, would: string]>> = {
  grant: ['granted a permission to', 'grant a permission to'],
  update: ['changed the permission of', 'change the permission of'],
  revoke: ['revoked the permission of', 'revoke the permission of'],
  remove: ['removed the permission of', 'remove the permission of'],
};

function grantAfter(before: Permitted | null, { action, canRead, canReply }: Wanted): Grant | null {
  const { replyMode = 'auto', canInitiate = false } = before ?? {};
  switch (action) {
    case 'grant':
      return { canRead: canRead ?? true, canReply: canReply ?? false, replyMode, canInitiate };
    case 'update':
      return {
        canRead: canRead ?? before?.canRead ?? false,
        canReply: canReply ?? before?.canReply ?? false,
        replyMode,
        canInitiate,
      };
    case 'revoke':
      return { canRead: false, canReply: false, replyMode, canInitiate: false };
    case 'remove':
      return null;
  }
}
