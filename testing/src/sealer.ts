// The vault's sealer of every test: what one store has signed, another knows.
import { createSecretKey } from 'node:crypto';
import { aesSealer } from '@relay/daemon/platform/home/vault/sealer';

export const testSealer = aesSealer(createSecretKey(Buffer.alloc(32, 7)));
