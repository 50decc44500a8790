// The vault's sealer, shared by all tests, so that one store can verify what another signed.
import { createSecretKey } from 'node:crypto';
import { aesSealer } from '@relay/daemon/platform/home/vault/sealer';

export const testSealer = aesSealer(createSecretKey(Buffer.alloc(32, 7)));
