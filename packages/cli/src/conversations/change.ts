// `relay pause|resume|cancel <id…>`: the same for each id, and what is true of it afterwards. One that
// is refused does not keep the others from being changed.
import type { ConversationInstance } from '@relay/core/api/instances';
import { RelayApiError } from '@relay/core/client/api-error';
import type { Client } from '@relay/core/client/client';
import { clientOf } from '../api.ts';
import type { Call, Run } from '../command.ts';
import { sayFailure } from '../failure.ts';
import { findId } from './find.ts';
import { withReminder } from './reminder.ts';
import { possibleNow } from './words.ts';

type Verb = 'pause' | 'resume' | 'cancel';

export const changing = (verb: Verb, sentence: (instance: ConversationInstance) => string): Run => {
  const one = async ({ config, terminal }: Call, given: string | undefined) => {
    const client = clientOf(config.home);
    const id = await findId(client, given);
    const instance = await legally(client, id, () =>
      client.post(`/api/instances/{id}/${verb}`, { path: { id } }),
    );
    if (terminal.json) terminal.give(instance);
    else terminal.say(sentence(instance));
  };
  return withReminder(async (call) => {
    const [only, ...more] = call.args;
    if (more.length === 0) {
      await one(call, only);
      return 0;
    }
    let exit = 0;
    for (const given of call.args) {
      try {
        await one(call, given);
      } catch (error) {
        call.terminal.settle();
        const failed = sayFailure(error, call.terminal);
        exit = exit === 0 ? failed : exit;
      }
    }
    return exit;
  });
};

/** A refusal because of the state it is in says what is possible instead. */
export async function legally<Made>(
  client: Client,
  id: string,
  act: () => Promise<Made>,
): Promise<Made> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RelayApiError) || error.code !== 'illegal_transition') throw error;
    const instance = await client.get('/api/instances/{id}', { path: { id } });
    const said = `${error.sentence} ${possibleNow(instance)}`;
    throw new RelayApiError(error.status, error.code, said, error.details);
  }
}
