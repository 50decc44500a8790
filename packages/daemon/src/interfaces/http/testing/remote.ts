// Stand-ins for access from a phone: one paired device, whose passkey and pairing code the tests know.
import type { PairedDevice } from '@relay/contract/api/remote';
import { RelayError } from '@relay/contract/errors';
import { deviceId } from '@relay/contract/ids';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

export const REMOTE_HOST = 'relay.example.org';
export const DEVICE_ID = deviceId('5a1d7a3e-52ce-4b0e-8a2c-7e2f5d3c9b10');
export const PAIRING_CODE = 'a-pairing-code-of-256-bits';
/** The id of the passkey that is accepted. */
export const PASSKEY_ID = 'the-passkey';

const device: PairedDevice = {
  id: DEVICE_ID,
  name: 'iPhone',
  host: REMOTE_HOST,
  synced: false,
  created_at: AT,
  last_used_at: null,
};

export function remoteStandIns(recorded: Recorded): Pick<HttpDeps, 'remote'> {
  let hosts: readonly string[] = [];
  const refuseWrong = (code: string) => {
    if (code !== PAIRING_CODE) throw new RelayError('pairing_code_invalid');
  };
  return {
    remote: {
      hosts: () => hosts,
      devices: recorded('listDevices', async () => [device]),
      enable: recorded('enableRemote', async (origin) => {
        hosts = [new URL(origin).host];
      }),
      disable: recorded('disableRemote', async () => {
        hosts = [];
      }),
      pair: recorded('pair', async () => ({
        url: `https://${REMOTE_HOST}/#pair=${PAIRING_CODE}`,
        expiresAt: new Date(AT),
      })),
      endPairings: async () => {},
      registrationOptions: async ({ code }) => {
        refuseWrong(code);
        return { challenge: 'challenge' };
      },
      register: async ({ code }) => {
        refuseWrong(code);
        return device;
      },
      signInOptions: async () => ({ challenge: 'challenge' }),
      signIn: async ({ id }) => (id === PASSKEY_ID ? DEVICE_ID : null),
      remove: recorded('removeDevice', async () => device),
    },
  };
}
