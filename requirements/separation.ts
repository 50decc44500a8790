// Requirements of several accounts on one database: what keeps them apart, and what they cost while nothing happens.
export const SEPARATION = {
  'SEP-POLICY':
    'Every table with an account has a row-level security policy; a statement sees and writes only rows of the account that its session works for, and none without one.',
  'SEP-DRIVER':
    'A connection works for its account before its first statement; one account alone costs no statement more.',
  'SEP-POOLER':
    'Behind a pooler in transaction mode every transaction says for which account it works, and nothing relies on a session.',
  'SEP-SHARED':
    'Statements that serve all accounts go through one handle, and those who use it are listed.',
  'SEP-ISOLATION': 'No call with the token of one account ever returns a row of another.',
  'SEP-AUDITOR': 'An auditor sees counts, sizes and states of all accounts, and no content.',
  'SEP-LOST-HINT':
    'Work whose hint was lost is found by one statement for all queues, and by one for all accounts, every half minute.',
  'SEP-IDLE': 'An account without work causes no statement of its own.',
};
