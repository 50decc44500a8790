// The contract that every transport must fulfil, whatever library it uses. A transport runs it with a harness; Relay's
// own does so over the simulated network.
import { describe } from 'vitest';
import { closing } from './closing.ts';
import { downloading } from './downloading.ts';
import type { MakeHarness } from './harness.ts';
import { linking } from './linking.ts';
import { receiving } from './receiving.ts';
import { replaying } from './replaying.ts';
import { sending } from './sending.ts';
import { uploading } from './uploading.ts';

export function transportContract(name: string, make: MakeHarness): void {
  describe(`${name} fulfils the transport contract`, () => {
    linking(make);
    receiving(make);
    downloading(make);
    replaying(make);
    sending(make);
    uploading(make);
    closing(make);
  });
}
