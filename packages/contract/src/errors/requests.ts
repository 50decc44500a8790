// Errors for invalid requests, credentials and command line usage, and `internal`. Part of the table in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const REQUEST_ERRORS = {
  // Requests
  invalid_request: { status: 400, exit: 2, sentence: 'The request is not valid: {what}.' },
  invalid_phone: { status: 400, exit: 2, sentence: 'Invalid phone number' },
  not_on_whatsapp: {
    status: 400,
    exit: 2,
    sentence: 'This number is not registered on WhatsApp.',
    action: 'Check the number, or ask the person which number they use there.',
  },
  unsupported_media: {
    status: 415,
    exit: 2,
    sentence: 'The content type is not supported.',
    action: 'Send the body as application/json.',
  },
  body_too_large: {
    status: 413,
    exit: 2,
    sentence: 'The body is larger than the limit of {limit}.',
    action: 'Send a smaller one.',
  },
  route_not_found: {
    status: 404,
    exit: 2,
    sentence: '{method} {path} does not exist.',
    action: 'See the list of routes at /api/docs.',
  },
  account_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no account {account}.',
    action: 'See `relay accounts` for your accounts.',
    actionFor: {
      api: 'Use the name of an account that your token is valid for.',
      tools: 'Name an account that the tool’s schema lists.',
    },
  },
  account_of_another: {
    status: 403,
    exit: 6,
    sentence: 'This account belongs to another owner: only its state and its figures can be read.',
    action: 'Ask its owner.',
  },
  account_exists: {
    status: 409,
    exit: 5,
    sentence: 'There is already an account {account}.',
    action: 'Choose another name.',
  },
  account_linked: {
    status: 409,
    exit: 5,
    sentence: 'A phone is linked to the account {account}. Removing it deletes all its messages.',
    action: 'Unlink it first, or repeat its name in `confirm`.',
    actionFor: {
      command: 'Unlink it first, or confirm with `--yes`.',
    },
  },
  account_last: {
    status: 409,
    exit: 5,
    sentence: '{account} is the only account.',
    action: 'Add another account first: `relay accounts add <name>`.',
  },
  account_elsewhere: {
    status: 409,
    exit: 5,
    sentence: 'Another process works for the account {account}.',
    action: 'Try again once this one works for it.',
  },
  home_only: {
    status: 403,
    exit: 6,
    sentence: 'This concerns the whole home, not one account.',
    action: 'Ask the person who runs this Relay.',
  },
  owner_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no owner {owner}.',
    action: 'See `relay owners`.',
  },
  owner_exists: {
    status: 409,
    exit: 5,
    sentence: 'There is already an owner {owner}.',
    action: 'Choose another name.',
  },
  owner_has_accounts: {
    status: 409,
    exit: 5,
    sentence: 'The account {account} belongs to {owner}.',
    action: 'Remove the accounts first: `relay accounts remove <name>`.',
  },
  owner_of_home: {
    status: 409,
    exit: 5,
    sentence: 'This is the owner of this home, who cannot be removed.',
    action: 'Remove the home instead.',
  },
  owner_is_operator: {
    status: 409,
    exit: 5,
    sentence: '{owner} is an operator, and operators have no accounts.',
    action: 'Choose another owner.',
  },
  scope_missing: {
    status: 403,
    exit: 6,
    sentence: 'This token does not have the scope {scope}.',
    action: 'Create a token that has {scope} with `relay token create`.',
  },
  cursor_gone: {
    status: 410,
    exit: 4,
    sentence: 'The events after this cursor are no longer kept.',
    action: 'Load what you need again, then continue with `cursor=latest`.',
  },
  request_in_progress: {
    status: 409,
    exit: 5,
    sentence: 'A request with this idempotency key is in progress.',
    action: 'Repeat it with the same key in a moment.',
    passes: true,
  },
  request_outcome_unknown: {
    status: 409,
    exit: 5,
    sentence:
      'Relay stopped during a request with this idempotency key, so its outcome is unknown.',
    action: 'Check whether it was carried out. To repeat it, use a new key.',
  },
  not_found: { status: 404, exit: 4, sentence: 'Nothing has that id.' },
  program_only: {
    status: 403,
    exit: 6,
    sentence:
      'This token belongs to a client: it is valid only for /mcp, /api/tools and the parts of /api/v1 that its scopes allow.',
    action: 'Use the owner’s token, which `relay token` prints.',
  },
  program_needed: {
    status: 403,
    exit: 6,
    sentence: 'This needs the token of a client, whose scopes limit it.',
    action: 'Create one with `relay token create`.',
  },
  token_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no token named {token}.',
    action: 'List the tokens with `relay token list`.',
    actionFor: {
      api: 'List the tokens at /api/v1/accounts/{account}/tokens.',
    },
  },
  token_exists: {
    status: 409,
    exit: 5,
    sentence: 'A token named {token} already exists.',
    action: 'Choose another name, or create a new secret with `relay token rotate`.',
    actionFor: {
      api: 'Choose another name.',
    },
  },
  token_expired: {
    status: 409,
    exit: 5,
    sentence: 'The token {token} has expired; a new secret does not change that.',
    action: 'Create a new one with `relay token create`.',
  },
  token_searches_nothing: {
    status: 409,
    exit: 5,
    sentence: 'The token {token} may not search, so it finds nothing.',
  },
  token_expires_past: {
    status: 400,
    exit: 2,
    sentence: 'The expiry is in the past.',
    action: 'Choose a later time.',
  },
  mcp_token_missing: {
    status: 401,
    exit: 6,
    sentence: 'A token is required.',
    action:
      'Run `relay mcp install` to create one and add it to your client’s settings, or pass one from `relay token create` in RELAY_TOKEN or with --token-file.',
  },
  mcp_token_refused: {
    status: 401,
    exit: 6,
    sentence:
      'The daemon does not know this token: it was rotated, revoked, or belongs to another home folder.',
    action: 'Create a new one with `relay mcp install`.',
  },
  settings_unreadable: {
    status: 400,
    exit: 2,
    sentence: '{file} is not a JSON object. Nothing was changed.',
    action: 'Fix the file, or paste what `relay mcp install --print` shows.',
  },
  settings_unwritable: {
    status: 500,
    exit: 8,
    sentence: '{file} cannot be read or written ({code}).',
    action: 'Fix its permissions, or choose another file with --file.',
  },
  settings_name_taken: {
    status: 409,
    exit: 5,
    sentence: '{file} already has another server named {name}. Nothing was changed.',
    action: 'Choose another name with --name.',
  },
  tool_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no tool named {tool}.',
    action: 'See /api/tools for the tools of this token.',
  },
  declined: {
    status: 409,
    exit: 5,
    sentence: 'The request was declined, so nothing was done.',
    action: 'Do not ask for the same again.',
  },
  cancelled: {
    status: 409,
    exit: 5,
    sentence: 'The call was cancelled before it was carried out.',
  },
  tool_too_slow: {
    status: 504,
    exit: 7,
    sentence: 'The call did not finish within {seconds} s and was stopped.',
    action: 'Try again later with the same idempotency key; nothing is done twice.',
    passes: true,
  },
  instance_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Instance {id} not found.',
    action: 'See /api/instances for all instances.',
    actionFor: {
      command: 'List all with `relay list --all`.',
      api: 'List conversations at /api/v1/accounts/{account}/conversations.',
      tools: 'Call the tool list_conversations.',
    },
  },
  conversation_unknown: {
    status: 404,
    exit: 4,
    sentence: 'There is no conversation whose id starts with {id}.',
    action: 'List all with `relay list --all`.',
  },
  conversation_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one conversation id starts with {id}: {candidates}.',
    action: 'Give more characters.',
  },
  conversation_unseen: {
    status: 404,
    exit: 4,
    sentence: 'There is no conversation {id} that this client may see.',
    actionFor: {
      api: 'List conversations at /api/v1/accounts/{account}/conversations.',
      tools: 'Call the tool list_conversations.',
    },
  },
  message_unknown: {
    status: 404,
    exit: 4,
    sentence: 'There is no message whose id starts with {id}.',
    action: 'See the ids with `relay messages`.',
    actionFor: {
      api: 'Read the ids at /api/v1/accounts/{account}/chats/{chat_id}/messages.',
      tools: 'Call the tool read_messages for the ids.',
    },
  },
  reply_to_unknown: {
    status: 404,
    exit: 4,
    sentence: 'This chat has no message with the id {id} to reply to.',
    action: 'See the ids with `relay messages`.',
    actionFor: {
      api: 'Read the ids at /api/v1/accounts/{account}/chats/{chat_id}/messages.',
      tools: 'Call the tool read_messages for the ids.',
    },
  },
  nothing_drafted: {
    status: 502,
    exit: 1,
    sentence: 'The model wrote no draft.',
    action: 'Try again, or type a few words about what to say.',
  },
  result_not_asked: {
    status: 404,
    exit: 4,
    sentence: 'Conversation {id} was not asked for a result.',
    action: 'Give `result_schema` when you create a conversation.',
    actionFor: {
      command: 'Ask for one with `relay create --result`.',
    },
  },
  nothing_known: {
    status: 404,
    exit: 4,
    sentence: 'There is nothing with the id {id} that this client may see.',
    action: 'Give the complete id.',
  },
  message_ambiguous: {
    status: 409,
    exit: 2,
    sentence: 'More than one message id starts with {id}: {candidates}.',
    action: 'Give more characters, or name the chat.',
  },
  illegal_transition: {
    status: 409,
    exit: 5,
    sentence: 'Instance {id} is {state}: {event} is not possible now.',
  },
  approval_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Approval {id} not found.',
    action: 'List pending approvals with `relay approvals`.',
    actionFor: {
      api: 'List pending approvals at /api/v1/accounts/{account}/approvals.',
    },
  },
  approval_answered: {
    status: 409,
    exit: 5,
    sentence: 'Approval {id} is already {state}. An approval can be answered once.',
    action: 'List pending approvals with `relay approvals`.',
    actionFor: {
      api: 'List pending approvals at /api/v1/accounts/{account}/approvals.',
    },
  },
  approval_expired: {
    status: 409,
    exit: 5,
    sentence:
      'Approval {id} has expired: it was not answered in time, or its conversation has ended.',
    action: 'Resume the conversation; its agent asks again.',
  },
  approval_changed: {
    status: 409,
    exit: 5,
    sentence: 'The text has changed since it was shown, so it needs a new approval.',
    action: 'See the new text with `relay approvals`.',
    actionFor: {
      api: 'Read the new text at /api/v1/accounts/{account}/approvals.',
    },
  },
  approval_fixed: {
    status: 409,
    exit: 5,
    sentence:
      'The text of this approval cannot be edited: it is a grant, or belongs to a schedule.',
    action: 'Decline it, and change the grant or the schedule instead.',
  },
  approval_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one approval id starts with {id}.',
    action: 'Give more characters.',
  },

  // Credentials
  unauthorized: {
    status: 401,
    exit: 6,
    sentence: 'A valid token is required.',
    action: 'Print yours with `relay token`.',
  },
  forbidden: { status: 403, exit: 6, sentence: 'This token does not have the scope {scope}.' },
  token_needed: {
    status: 403,
    exit: 6,
    sentence: 'This is not possible from a browser session.',
    action: 'Use the `relay` command.',
  },
  sign_in_stale: {
    status: 403,
    exit: 6,
    sentence: 'You signed in too long ago for this action.',
    action: 'Enter the token that `relay token` prints, or sign in again with `relay open`.',
  },
  owner_token_wrong: {
    status: 403,
    exit: 6,
    sentence: 'This is not your token.',
    action: 'Print it with `relay token`.',
  },
  login_code_invalid: {
    status: 401,
    exit: 6,
    sentence: 'This link was already used or has expired.',
    action: 'Run `relay open` for a new one.',
  },
  tls_required: {
    status: 403,
    exit: 6,
    sentence: 'This address is answered over HTTPS only.',
    action: 'Open it with https://, and let the proxy set X-Forwarded-Proto.',
  },
  passkey_required: {
    status: 401,
    exit: 6,
    sentence: 'At this address, only paired devices are let in.',
    action: 'Sign in with the passkey of this device, or pair it with `relay remote pair`.',
  },
  passkey_stale: {
    status: 403,
    exit: 6,
    sentence: 'This needs your passkey, which was last used more than 5 minutes ago.',
    action: 'Confirm with your passkey and try again.',
  },
  passkey_refused: {
    status: 403,
    exit: 6,
    sentence: 'This passkey was not accepted.',
    action: 'Try again, or pair this device again with `relay remote pair`.',
  },
  pairing_code_invalid: {
    status: 403,
    exit: 6,
    sentence: 'This pairing code was already used or has expired.',
    action: 'Run `relay remote pair` for a new one.',
  },
  remote_off: {
    status: 409,
    exit: 5,
    sentence: 'Access from a phone is off.',
    action: 'Turn it on with `relay remote enable https://relay.example.org`.',
  },
  remote_only: {
    status: 403,
    exit: 6,
    sentence: 'Passkeys are used only at the address for your phone.',
    action: 'On this machine, sign in with `relay open`.',
  },
  remote_origin_invalid: {
    status: 400,
    exit: 2,
    sentence: '{origin} cannot be the address for your phone: {why}.',
    action: 'Give the address that your proxy serves, such as https://relay.example.org.',
  },
  device_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no device named {device}.',
    action: 'List the devices with `relay remote devices`.',
  },
  devices_too_many: {
    status: 409,
    exit: 5,
    sentence: 'There are already {most} devices.',
    action: 'Remove one with `relay remote devices remove`.',
  },
  bad_host: {
    status: 421,
    exit: 6,
    sentence: 'Relay does not answer at this address.',
    action: 'Open the address that `relay open` prints.',
  },
  bad_origin: { status: 403, exit: 6, sentence: 'Requests from this origin are refused.' },
  rate_limited: {
    status: 429,
    exit: 7,
    sentence: 'Too many requests.',
    action: 'Try again in {seconds} s.',
  },
  denied: { status: 403, exit: 6, sentence: 'Not allowed: {reason}' },

  // The command line
  usage: { status: 400, exit: 2, sentence: '{what}' },
  command_failed: {
    status: 500,
    exit: 1,
    sentence: 'The command failed: {reason}',
    action: 'Run `relay doctor` to look for problems.',
  },

  internal: {
    status: 500,
    exit: 1,
    sentence: 'Relay had an internal error.',
    action: 'Find the details with `relay logs`, under request {request}.',
  },
} as const satisfies Record<string, ErrorSpec>;
