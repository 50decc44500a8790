// The text that an owner without the extension runs in the developer tools of a WhatsApp Web tab. Only a page of
// WhatsApp may use WhatsApp's passkey, so no page of Relay can do it.
// Invariant: it reads nothing of the page, sends nothing and stores nothing; it copies the answer for the owner to paste.
import type { LinkPasskeyRequest } from '../ports/transport.ts';

export const passkeySnippet = ({ options }: Pick<LinkPasskeyRequest, 'options'>): string =>
  [
    `((copy) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })`,
    `.then((key) => { const answer = JSON.stringify(key); copy(answer); console.log('Copied. Paste this into Relay:\\n' + answer); },`,
    ` (error) => console.log('No answer: ' + error.message)))(typeof copy === 'function' ? copy : () => {})`,
  ].join('');
