// What `relay demo` adds for visitors: a model that answers them, and the page on which they write.

import { playDemo } from './model/demo/actor.ts';
import type { ModelActor } from './model/server.ts';
import { type PhonePage, type PhonePageOptions, startPhonePage } from './phone/server.ts';

export interface DemoParts {
  readonly model: ModelActor;
  openPhone(options: PhonePageOptions): Promise<PhonePage>;
}

export const demoParts: DemoParts = { model: playDemo, openPhone: openDemoPhone };

function openDemoPhone(options: PhonePageOptions): Promise<PhonePage> {
  keepOwnerPhoneClosed(options);
  return startPhonePage(options);
}

/**
 * The owner never opens a chat on their own phone, so that every read receipt on the phone page would come from Relay:
 * a stranger and an observed group see none.
 */
function keepOwnerPhoneClosed({ network, faces }: PhonePageOptions): void {
  for (const { chat } of faces) {
    const owner = chat.includes('@') ? undefined : network.account(chat);
    if (owner !== undefined) owner.habits.reads = false;
  }
}
