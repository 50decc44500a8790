// What a program does under a key of its own happens once: the same call again is answered as the first was,
// before anybody is asked anything. Keys are the token's own.
import { createHash } from 'node:crypto';
import { because } from '@relay/core/policy/reasons';
import { actorName } from '../gate/actor-names.ts';
import { type AskedKey, claimKey, keepAnswer } from '../store/answered-keys.ts';
import { type Prepare, settled, type Waiting } from './submit.ts';
import type { Call } from './tool.ts';

/** `input` is all that is asked for, as the tool's schema read it. */
export const once =
  <Done extends object>(
    call: Call,
    tool: string,
    input: object,
    prepare: Prepare<Done>,
  ): Prepare<Done | Waiting> =>
  async (tx) => {
    const asked = askedKey(call, tool, input);
    if (asked === null) return prepare(tx);
    const before = (await claimKey(tx, asked)) as Done | Waiting | null;
    if (before !== null) {
      const went = { decision: because('token_scope'), approval: null, done: before };
      return { question: '', submit: async () => went };
    }
    const act = await prepare(tx);
    return {
      get question() {
        return act.question;
      },
      async submit(tx, circumstances) {
        const went = await act.submit(tx, circumstances);
        const refused = went.done === null && went.approval === null;
        await keepAnswer(tx, asked, refused ? null : (went.done ?? settled(went)));
        return went;
      },
    };
  };

function askedKey({ key, world, actor }: Call, tool: string, input: object): AskedKey | null {
  if (key === null) return null;
  const hash = createHash('sha256')
    .update(`${tool}\n${JSON.stringify(input)}`)
    .digest();
  return { account: world.lease.account, actor: actorName(actor), key, hash };
}
