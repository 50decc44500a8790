// Requirements of several workers on one database, and of the failover between them.
export const WORKERS = {
  'WORKERS-API':
    'A process without workers shows the link of every account and links, disconnects and asks through rows in the database.',
  'WORKERS-BALANCE':
    'Workers share the accounts evenly within their capacities, come to rest after one joins or leaves, and then move none.',
  'WORKERS-DRAIN':
    'A worker that is asked to stop hands its accounts over one after the other, and no message is delayed over 5 seconds.',
  'WORKERS-FAILOVER':
    'The accounts of a killed worker are connected elsewhere within 15 seconds (p99), and no message is lost, doubled or out of order.',
  'WORKERS-FENCE':
    'A worker that could not renew its leases in time writes nothing more to a socket, also right after it was paused.',
  'WORKERS-KEY': 'A worker with another key than that of the database refuses to start.',
  'WORKERS-LEASE':
    'A lease lives as long as its worker renews itself; a worker that was declared lost gets none of its leases back by renewing.',
  'WORKERS-LIST': 'The command, the API and the console list the workers with what they hold.',
  'WORKERS-LOGINS': 'Logins are spread over time for each worker and over all workers together.',
} as const;
