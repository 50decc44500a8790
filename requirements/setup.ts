// Requirements for the set-up: of the model, the link and the settings.
export const SETUP = {
  'SETUP-CONFIG':
    '`relay config set` changes one setting, refuses an invalid value with a sentence, and takes no secret.',
  'SETUP-CONTACT-NAME':
    'A conversation is created with a contact by name if the name means exactly one person; otherwise the candidates are shown.',
  'SETUP-DOCTOR':
    '`relay doctor` says whether a phone is linked and connected, and whether the model is reachable, accepts the key and exists.',
  'SETUP-FAULT':
    'If WhatsApp cannot be reached, the link says why, as far as the network tells, with a next step.',
  'SETUP-FIRST-STEPS':
    'Home shows what a new owner has to do until it is done: link, model, first grant, first message.',
  'SETUP-MODEL':
    'A model is saved only after it has answered. Otherwise there is a sentence with the next step, nothing is saved, and the exit code is not 0.',
  'SETUP-NONSENSE':
    'A model that writes nonsense stops nothing, and nothing is sent, granted or changed that nobody approved.',
  'SETUP-PASSKEY':
    'An account that demands its WhatsApp passkey is linked by QR code and by code; the new secret is durable before anything is sent.',
  'SETUP-PASSKEY-BROWSER':
    'The extension and the snippet carry the request to a tab of WhatsApp Web and the answer back, each after the owner confirmed what is linked.',
  'SETUP-PASSKEY-FAULTS':
    'A wrong, late or repeated passkey, and an unexpected answer of WhatsApp, end linking in one state without another attempt; linking can be started again.',
  'SETUP-PASSKEY-KILLS':
    'A daemon that is killed while it links with a passkey is linked afterwards, or cleanly not linked.',
  'SETUP-WEBHOOK':
    'A webhook to an address that can never be reached is refused at once, with how to allow it; Retry-After is honoured up to a day.',
} as const;
