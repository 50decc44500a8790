// The parts that `relay demo` adds for people: a model that answers them, and the page on which they write.

import { playDemo } from './model/demo/actor.ts';
import type { ModelActor } from './model/server.ts';
import { type PhonePage, type PhonePageOptions, startPhonePage } from './phone/server.ts';

export interface DemoParts {
  readonly model: ModelActor;
  openPhone(options: PhonePageOptions): Promise<PhonePage>;
}

export const demoParts: DemoParts = { model: playDemo, openPhone: startPhonePage };
