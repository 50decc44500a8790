// Requirements of several accounts in one home, and of the owners that they belong to.
export const ACCOUNTS = {
  'ACCOUNT-MANY':
    'One home works for several accounts: each is linked by itself, and messages of one never reach another.',
  'ACCOUNT-ROUTES':
    'Every route is served for each account below its name; without a name the owner’s default account is meant.',
  'ACCOUNT-MANAGE':
    'The owner adds, renames and removes accounts and chooses the default one; a linked account is removed only when its name is confirmed, with everything in it.',
  'ACCOUNT-OWNERS':
    'An owner signs in with their own token and reaches their own accounts; other accounts do not exist for them.',
  'ACCOUNT-OPERATOR':
    'An operator and the home’s owner see the states and figures of other people’s accounts, and are refused everything else in them.',
  'ACCOUNT-TOKENS':
    'A client’s token is valid for its account, or for the accounts that the owner named, and for no other.',
  'ACCOUNT-MCP': 'Where a token is valid for several accounts, its tools take the name of one.',
  'ACCOUNT-NAMED': 'Events and webhooks name the account in which something happened.',
  'ACCOUNT-SETTINGS':
    'An account can have its own proxy, model, budget, pacing, time zone and retention over those of the home.',
  'ACCOUNT-KEYS':
    'Each account’s secrets are encrypted with a key of its own; what was encrypted before stays readable.',
  'ACCOUNT-ARCHIVE': 'Backups, exports and restores contain all accounts.',
  'ACCOUNT-CONSOLE':
    'The console switches between accounts, keeps the account in the address, and shows one inbox for all of them.',
} as const;
