// Requirements against attacks by people, models and clients. SECURITY.md names the test behind each claim.
export const TRUST = {
  'TRUST-APPROVE-SHOWN':
    'On WhatsApp only what Relay itself has shown there in full can be approved; without an id, only the one open notice.',
  'TRUST-APPROVE-REACTION': 'A 👍 or 👎 of the owner on a notice answers exactly that notice.',
  'TRUST-APPROVE-RISK':
    'An approval of a send to somebody who has never written names what risks the account, in the console, the command and the notice, and the safer alternative.',
  'TRUST-APPROVE-WEEK':
    'In an owner’s week of 200 messages a day every approval reaches the owner’s own chat and their phone, and what is approved is sent once.',
  'TRUST-APPROVE-REPLACED':
    'A draft that another takes the place of closes its notice, and Relay says so in the chat.',
  'TRUST-CANARIES':
    'In generated worlds, every request of a model that holds a text of others belongs to a run whose taint names its source.',
  'TRUST-DAEMON-ROLE':
    'The daemon connects as a role that owns nothing and is no superuser; migrations run as another, also on the private server.',
  'TRUST-FORGED-PERMIT':
    'A permit that the gate did not give, or that was altered, delivers nothing, whoever can write to the database.',
  'TRUST-HIDDEN-CHARACTERS':
    'Text of an agent or a program with invisible characters needs approval, and they are written out.',
  'TRUST-LABELS':
    'Whatever reaches a model carries whose text it is; instructions take only what Relay or its owner wrote.',
  'TRUST-LEDGER-SIGNED':
    '`relay doctor` finds a ledger that was rewritten, cut off or set back, with its head and its marks.',
  'TRUST-NAMES-OF-OTHERS':
    'What people and groups call themselves is never taken as a name, and is in no instructions of a model.',
  'TRUST-PERMIT-KEYS':
    'The database takes a permit only for a decision that allowed it, and a message only for the chat of its permit.',
  'TRUST-TAINT-SCHEDULE':
    'The text of a schedule counts as read unless the owner wrote it, or an assistant that had read nothing of others.',
  'TRUST-TAINTED-REMOVAL':
    'A run that has read text of others needs approval to cancel or remove anything.',
} as const;
