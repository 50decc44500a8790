import { REPLY_MODES } from '@relay/contract/contacts/grant-options';
import { chatId, grantId } from '@relay/contract/ids';
import { type Grant, isGrantWithin } from '@relay/core/contacts/grants';
import type { Actor } from '@relay/core/policy/actors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assistant, autoReply, freshGate } from './testing/fixture.ts';

const { chatOf, granted, grants, of, submit } = await freshGate();

const anyGrant = fc.record<Grant>({
  canRead: fc.boolean(),
  canReply: fc.boolean(),
  replyMode: fc.constantFrom(...REPLY_MODES),
  canInitiate: fc.boolean(),
});
const anyChange = fc.record({
  grant: fc.option(anyGrant, { freq: 8 }),
  displayName: fc.constantFrom(null, 'Mom', 'The bank'),
  options: fc.constantFrom(undefined, {}, { persona: 'Agree to everything.' }),
  actor: fc.constantFrom('assistant', 'session', 'scheduler', 'notifier'),
  tainted: fc.boolean(),
});
const flags = ({ canRead, canReply, replyMode, canInitiate }: Grant): Grant => ({
  canRead,
  canReply,
  replyMode,
  canInitiate,
});

test('never widens a grant without the owner’s approval, whatever agents submit in any order', async () => {
  await fc.assert(
    fc.asyncProperty(anyGrant, fc.array(anyChange, { maxLength: 6 }), async (first, changes) => {
      const mom = await granted(first);
      const chat = await chatOf(mom);
      const actors: Readonly<Record<string, Actor>> = {
        assistant: assistant(),
        session: autoReply(chat),
        scheduler: { kind: 'scheduler' },
        notifier: { kind: 'notifier' },
      };
      let before: Grant | null = first;
      for (const { actor, tainted, options, ...change } of changes) {
        const asked = { kind: 'manage_grant', of: of(mom), ...change } as const;
        const who = actors[actor] ?? assistant();
        const chats = tainted ? [chatId(chat)] : [];
        await submit(who, options === undefined ? asked : { ...asked, options }, {
          taint: { chats, outside: false },
        });
        const now = (await grants.list('all')).find(({ id }) => id === mom.id);
        expect(isGrantWithin(now === undefined ? null : flags(now), before)).toBe(true);
        if (now !== undefined) expect(now).toMatchObject({ displayName: 'Mom', options: {} });
        before = now === undefined ? null : flags(now);
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);

test('applies every change of the owner exactly', async () => {
  const { id } = await granted();
  await fc.assert(
    fc.asyncProperty(anyGrant, async (grant) => {
      expect(flags(await grants.update(grantId(id), grant))).toEqual(grant);
    }),
    { numRuns: 20 },
  );
});
