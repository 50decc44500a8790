// Requirements of deployments with many accounts: keys, files for the deployment, and what is measured.
export const SCALE = {
  'SCALE-COMPOSE':
    'A compose file runs two workers, an API, PostgreSQL and a pooler on one machine, without privileges or open ports.',
  'SCALE-HELM':
    'The Helm chart passes Helm’s checks: no root, secrets by reference, a disruption budget, and readiness that means that leases are held.',
  'SCALE-ONE-ACCOUNT': 'One account of several is exported with its owner and nothing of others.',
  'SCALE-ADD-ACCOUNT':
    'The archive of one account can be added to a home that has others: under a new number and name, with its files, its secrets sealed with the key of that home, its tokens suspended, and never beside an account with the same phone number.',
  'SCALE-POOLER':
    'The API works behind PgBouncer in transaction mode, with the configuration that is shipped.',
  'SCALE-KEY-COMMAND':
    'The key that encrypts a home can come from a command without a shell and with a time limit, or from the environment; neither is ever logged.',
} as const;
