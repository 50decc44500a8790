import { transportContract } from '@relay/testing/transport/contract';
import { baileysHarness } from './testing/harness.ts';

transportContract('Baileys', ({ shortCodes = false } = {}) =>
  baileysHarness(shortCodes ? { qrMs: 250 } : {}),
);
