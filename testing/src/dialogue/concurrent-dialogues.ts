// Runs many complete conversations at once, each contact on their own phone, and measures how long each waited for
// answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { Demo } from '../e2e/demo.ts';
import { People } from './people.ts';
import { answer, conversationRequest, type Dialogue } from './script.ts';

/** `modelMs` is the time of one model call. Relay is linked with the owner's phone. */
export function openDialogues(demo: Demo, owner: SimulatedAccount, modelMs: number) {
  const { network } = demo.simulator;
  const people = new People({ network, owner });
  let count = 0;
  demo.model.play((request) => {
    const reply = answer(request);
    return reply && { ...reply, delay_ms: modelMs };
  });
  return async (size: number): Promise<readonly number[]> => {
    const from = people.waits.length;
    const dialogues = Array.from({ length: size }, (): Dialogue => {
      count += 1;
      return { name: `c${count}`, manner: 'talks', atOnce: false };
    });
    for (const dialogue of dialogues) {
      const phone = `1557000${dialogue.name.slice(1).padStart(4, '0')}`;
      people.join(dialogue, network.addAccount({ phone, name: dialogue.name }));
      await demo.relay.ok('POST', '/api/instances', conversationRequest(dialogue, phone));
    }
    while (!dialogues.every((dialogue) => people.hasSeenAll(dialogue))) {
      people.check();
      await sleep(50);
    }
    return people.waits.slice(from);
  };
}
