// Errors for invalid requests, credentials and command line usage, and `internal`. Part of the table in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const REQUEST_ERRORS = {
  // Requests
  invalid_request: { status: 400, exit: 2, sentence: 'The request is not valid: {what}.' },
  invalid_phone: { status: 400, exit: 2, sentence: 'Invalid phone number' },
  not_on_whatsapp: {
    status: 400,
    exit: 2,
    sentence:
      'This number is not registered on WhatsApp. Check the number, or ask the person for the one they use there.',
  },
  unsupported_media: { status: 415, exit: 2, sentence: 'Send the body as application/json.' },
  body_too_large: { status: 413, exit: 2, sentence: 'The body is larger than {limit} allows.' },
  route_not_found: {
    status: 404,
    exit: 2,
    sentence: 'There is nothing at {method} {path}. The list of routes is at /api/docs.',
  },
  not_found: { status: 404, exit: 4, sentence: 'Nothing found under that id.' },
  program_only: {
    status: 403,
    exit: 6,
    sentence:
      'This is a program’s token: it opens /mcp and /api/tools, as far as its scopes go, and nothing else.',
  },
  program_needed: {
    status: 403,
    exit: 6,
    sentence:
      'Only a token made with `relay token create` opens this, so that its scopes can bound it.',
  },
  token_not_found: {
    status: 404,
    exit: 4,
    sentence: 'No token is called {token}. `relay token list` shows those there are.',
  },
  token_exists: {
    status: 409,
    exit: 5,
    sentence:
      'There is a token called {token} already. Choose another name, or give it a new secret with `relay token rotate`.',
  },
  token_expired: {
    status: 409,
    exit: 5,
    sentence:
      'The token {token} has expired, and a new secret would not change that. `relay token create` makes another of this name.',
  },
  token_searches_nothing: {
    status: 409,
    exit: 5,
    sentence: '{token} finds nothing: its token may not search.',
  },
  token_expires_past: {
    status: 400,
    exit: 2,
    sentence: 'The token would have expired before it was made. Choose a later time.',
  },
  mcp_token_missing: {
    status: 401,
    exit: 6,
    sentence:
      'A token is needed. `relay mcp install` makes one and writes it into your program’s settings; one made with `relay token create` is given in RELAY_TOKEN or with --token-file.',
  },
  mcp_token_refused: {
    status: 401,
    exit: 6,
    sentence:
      'The daemon does not know this token: it was rotated, revoked, or belongs to another home. `relay mcp install` makes a new one.',
  },
  settings_unreadable: {
    status: 400,
    exit: 2,
    sentence:
      '{file} is not a JSON object as it should be, so nothing was changed. Mend it, or paste what `relay mcp install --print` shows.',
  },
  settings_unwritable: {
    status: 500,
    exit: 8,
    sentence:
      '{file} cannot be read or written ({code}). Mend that, or choose another with --file.',
  },
  settings_name_taken: {
    status: 409,
    exit: 5,
    sentence:
      'Another server is called {name} in {file}. Nothing was changed; choose another name with --name.',
  },
  tool_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no tool called {tool}. /api/tools lists those that this token opens.',
  },
  declined: {
    status: 409,
    exit: 5,
    sentence: 'Whoever was asked said no, so it was not done. Do not ask for the same again.',
  },
  cancelled: {
    status: 409,
    exit: 5,
    sentence: 'The call was taken back before it was done.',
  },
  tool_too_slow: {
    status: 504,
    exit: 7,
    sentence:
      'It was not done within {seconds} s and was given up. Try again later; under the same idempotency key nothing is done twice.',
    passes: true,
  },
  instance_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Instance {id} not found. /api/instances lists the ones there are.',
  },
  conversation_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'No conversation has an id that begins with {id}. `relay list --all` shows those there are.',
  },
  conversation_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one id begins with {id}: {candidates}. Give more of it.',
  },
  conversation_unseen: {
    status: 404,
    exit: 4,
    sentence:
      'There is no conversation {id} that this program may see. The tool list_conversations shows those it may.',
  },
  message_unknown: {
    status: 404,
    exit: 4,
    sentence: 'No message has the id {id}, or one that begins so. `relay messages` shows the ids.',
  },
  nothing_known: {
    status: 404,
    exit: 4,
    sentence: 'Nothing that this program may know of has the id {id}. Give the whole id.',
  },
  message_ambiguous: {
    status: 409,
    exit: 2,
    sentence:
      'More than one message fits {id}: {candidates}. Give more of the id, or name the chat.',
  },
  illegal_transition: {
    status: 409,
    exit: 5,
    sentence: 'Instance {id} is {state}: {event} is not possible now.',
  },
  approval_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Approval {id} not found. `relay approvals` lists what waits for you.',
  },
  approval_answered: {
    status: 409,
    exit: 5,
    sentence:
      'Approval {id} was {state} already; each is answered once. `relay approvals` lists what waits.',
  },
  approval_expired: {
    status: 409,
    exit: 5,
    sentence:
      'Approval {id} has expired: nobody answered in time, or its conversation has ended. Resume the conversation and its agent asks anew.',
  },
  approval_changed: {
    status: 409,
    exit: 5,
    sentence: 'The text changed after your yes; it needs a new one. `relay approvals` shows it.',
  },
  approval_fixed: {
    status: 409,
    exit: 5,
    sentence:
      'The words of this one cannot be changed: it is a grant, or what a schedule says. Say no, and change that instead.',
  },
  approval_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one approval begins with {id}. Give more of it.',
  },

  // Credentials
  unauthorized: {
    status: 401,
    exit: 6,
    sentence: 'A valid token is needed. `relay token` prints yours.',
  },
  forbidden: { status: 403, exit: 6, sentence: 'This token may not do that: it lacks {scope}.' },
  token_needed: {
    status: 403,
    exit: 6,
    sentence: 'A browser session may not do that; the `relay` command can.',
  },
  sign_in_stale: {
    status: 403,
    exit: 6,
    sentence:
      'You signed in too long ago for this. Give the token that `relay token` prints, or sign in again with `relay open`.',
  },
  owner_token_wrong: {
    status: 403,
    exit: 6,
    sentence: 'That is not your token. `relay token` prints it.',
  },
  login_code_invalid: {
    status: 401,
    exit: 6,
    sentence: 'This link was used already or has expired. Run `relay open` for a new one.',
  },
  bad_host: { status: 421, exit: 6, sentence: 'This address is not one Relay answers to.' },
  bad_origin: { status: 403, exit: 6, sentence: 'Requests from that origin are refused.' },
  rate_limited: { status: 429, exit: 7, sentence: 'Too many requests. Try again in {seconds} s.' },
  denied: { status: 403, exit: 6, sentence: 'Not allowed: {reason}' },

  // The command line
  usage: { status: 400, exit: 2, sentence: '{what}' },
  command_failed: {
    status: 500,
    exit: 1,
    sentence: 'The command failed: {reason} `relay doctor` may say more.',
  },

  internal: {
    status: 500,
    exit: 1,
    sentence:
      'Something went wrong inside Relay. `relay logs` has the details under request {request}.',
  },
} as const satisfies Record<string, ErrorSpec>;
