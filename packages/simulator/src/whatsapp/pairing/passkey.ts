// The step that some accounts must take instead of being linked: the browser has to prove a passkey.
// Invariant: nothing follows it; a client that cannot do the step waits in vain, as on the real service.
import { randomBytes } from 'node:crypto';
import { node, notification, type Stanza } from '../wire/nodes.ts';

export function passkeyRequest(): Stanza {
  const options = {
    challenge: randomBytes(32).toString('base64url'),
    rpId: 'whatsapp.com',
    userVerification: 'required',
    allowCredentials: [],
  };
  return notification('passkey_prologue_request', [
    node('passkey_request_options', {}, Buffer.from(JSON.stringify(options))),
  ]);
}
