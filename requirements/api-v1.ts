// Requirements of version 1 of the API.
export const API_V1 = {
  'API-V1-CLIENTS':
    'The clients in TypeScript and Python get the same answers, refusals and events in the same scenarios.',
  'API-V1-CONTRACT':
    'Each operation answers the request of its own documented example as documented: status, schema and headers.',
  'API-V1-EVENTS':
    'A client sees the events of its contacts and nothing else; texts only with a grant to read and the scope for messages.',
  'API-V1-HOME-ASSISTANT':
    'The commands and settings of the page for Home Assistant send a message and read one.',
  'API-V1-IDEMPOTENT':
    'A request repeated under its key gets the first response; after a crash in between nothing happens twice.',
  'API-V1-MEDIA':
    'Version 1 stores files and serves them like the routes of the console: once under a key, in parts, for download unless harmless, and to a client only what it may read.',
  'API-V1-N8N':
    'In n8n, a message on WhatsApp starts a workflow, which answers and reads through Relay.',
  'API-V1-QUICKSTART':
    'The quickstart of the documentation works as it is printed, in curl, Node and Python.',
  'API-V1-SCOPES':
    'What a client does goes through the gate as that client, within its scopes; its approvals are its own, and only the owner answers them.',
  'API-V1-WEBHOOKS':
    'A client’s webhook receives what its token may see, is its own alone, and ends with the token.',
} as const;
