// What `relay demo` shows to people, beside the network and the model that programs get as well: who answers when they
// write, and the page on which they do.

import { playDemo } from './model/demo/actor.ts';
import type { ModelActor } from './model/server.ts';
import { type PhonePage, type PhonePageOptions, startPhonePage } from './phone/server.ts';

export interface DemoParts {
  readonly model: ModelActor;
  openPhone(options: PhonePageOptions): Promise<PhonePage>;
}

export const demoParts: DemoParts = { model: playDemo, openPhone: startPhonePage };
