// What every transport must do, whichever library it stands on. A transport runs it by handing over a
// harness; Relay's own does so over the simulated network.
import { describe } from 'vitest';
import { closing } from './closing.ts';
import type { MakeHarness } from './harness.ts';
import { linking } from './linking.ts';
import { receiving } from './receiving.ts';
import { replaying } from './replaying.ts';
import { sending } from './sending.ts';

export function transportContract(name: string, make: MakeHarness): void {
  describe(`${name} is a transport`, () => {
    linking(make);
    receiving(make);
    replaying(make);
    sending(make);
    closing(make);
  });
}
