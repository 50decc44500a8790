// Errors of contacts, grants, approvals, the link to WhatsApp and the other features. Part of the table in
// `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const CONTACT_ERRORS = {
  // People
  permission_incomplete: {
    status: 400,
    exit: 2,
    sentence: 'phoneNumber and displayName are required',
  },
  permission_exists: {
    status: 409,
    exit: 5,
    sentence: 'Permission already exists for this phone number',
  },
  permission_not_found: { status: 404, exit: 4, sentence: 'Permission not found' },
  contact_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no such contact. /api/contacts lists those there are.',
  },
  contact_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'Nobody here is called {who}. `relay contacts` shows whom Relay knows; somebody new is named by their number, as in +49 170 1234567.',
  },
  chat_gone: {
    status: 404,
    exit: 4,
    sentence: 'There is no such chat, or nothing is known of it any more.',
  },
  chat_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'There is no chat {chat} that this program may deal with. The tool get_chats lists those it may read.',
  },
  chat_silent: {
    status: 404,
    exit: 4,
    sentence: 'Nothing was said with {chat} yet, so there is nothing to read.',
  },
  chat_unclear: {
    status: 409,
    exit: 2,
    sentence: '{chat} may be any of these: {candidates}. Give the id of the one that is meant.',
  },
  forget_self: {
    status: 409,
    exit: 2,
    sentence:
      'That is you. `relay whatsapp disconnect --clear-session` unlinks this device; deleting the home erases everything.',
  },
  contact_ambiguous: {
    status: 400,
    exit: 2,
    sentence: '{who} may be any of these: {candidates}. Say which by the number.',
  },
  group_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'No group here is called {group}. `relay contacts` shows those that Relay knows; one that was silent so far is named by its address, as in 120363000000000001@g.us.',
  },
  group_unclear: {
    status: 409,
    exit: 2,
    sentence: '{group} may be any of these groups: {candidates}. Say which by the address.',
  },
  not_observed: {
    status: 404,
    exit: 4,
    sentence: '{group} is not observed. `relay observe list` shows what is.',
  },
  not_announced: {
    status: 409,
    exit: 2,
    sentence:
      'Tell the group {group} first that it is going to be read. You could write there: “{announcement}” Then do this again with `--announced` (or `"announced": true`).',
  },
  unknown_zone: {
    status: 400,
    exit: 2,
    sentence: '{zone} is no time zone. Give one such as Europe/Berlin.',
  },
  unknown_day: {
    status: 400,
    exit: 2,
    sentence:
      '{day} is no day that is known here. Give a date, as in 2026-03-01, or words such as yesterday, friday or last week.',
  },
  not_granted: {
    status: 404,
    exit: 4,
    sentence: 'Nothing is granted to {who}. `relay contacts` shows what is granted.',
  },

  invalid_schedule: { status: 400, exit: 2, sentence: '{what}' },
  schedule_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Schedule {id} not found. `relay schedule list` shows those there are.',
  },
  schedule_unseen: {
    status: 404,
    exit: 4,
    sentence:
      'There is no schedule {id} that this program may see. The tool list_schedules shows those it may.',
  },
  schedule_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one schedule begins with {id}: {candidates}. Give more of it.',
  },
  schedule_over: {
    status: 409,
    exit: 5,
    sentence:
      'Schedule {id} has come to its end: there is nothing left to cancel. `relay schedule list` shows what is to come.',
  },
  no_own_chat: {
    status: 409,
    exit: 5,
    sentence:
      'No phone is linked yet, so there is no chat with yourself. Link one with `relay init`.',
  },
  key_reused: {
    status: 409,
    exit: 5,
    sentence: 'This idempotency key was used for something else. Use a new key for each new call.',
  },
  conflict: { status: 409, exit: 5, sentence: '{what}' },

  // WhatsApp
  no_qr_code: { status: 404, exit: 4, sentence: 'No QR code available' },
  whatsapp_not_connected: { status: 409, exit: 5, sentence: '{sentence}' },
  whatsapp_unreachable: { status: 503, exit: 7, sentence: '{sentence}', passes: true },
  whatsapp_changed: { status: 409, exit: 5, sentence: '{sentence}' },
  whatsapp_not_started: { status: 502, exit: 8, sentence: '{sentence}' },
  session_not_kept: { status: 500, exit: 8, sentence: '{sentence}' },
  chat_not_found: { status: 404, exit: 4, sentence: '{sentence}' },
  not_delivered: { status: 409, exit: 5, sentence: '{sentence}' },
  invalid_recipient: {
    status: 400,
    exit: 2,
    sentence:
      'Nobody can be reached at {to}. Give a phone number in international form, as in +49 170 1234567.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of notifications, exported chats, digests and the digest export.

export const MEMORY_ERRORS = {
  // Forwarded notifications
  notification_group_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'No group that is observed has this name, so nothing was stored. `relay observe list` shows what they are called.',
  },
  notification_group_ambiguous: {
    status: 409,
    exit: 5,
    sentence:
      'Several groups that are observed have this name, so nothing was stored. Rename one of them in WhatsApp.',
  },
  notification_time: {
    status: 400,
    exit: 2,
    sentence:
      'A notification is a week old or from tomorrow, so nothing was stored. Send the time at which it was shown.',
  },
  notification_empty: {
    status: 400,
    exit: 2,
    sentence: 'A notification says nothing, so nothing was stored. Send its text or a media_type.',
  },

  // Digest export
  webhook_secret_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The secret of the webhook was sealed for another home. `relay memory outside --rotate-secret` makes a new one.',
  },
  outside_folder: {
    status: 400,
    exit: 2,
    sentence:
      'The folder must be named from the root, as in /home/ana/memory. Nothing was changed.',
  },

  // Exported chats
  export_invalid: {
    status: 400,
    exit: 2,
    sentence:
      'This is no exported chat: {what}. In WhatsApp open the chat, choose Export chat, and give the .txt or .zip.',
  },
  export_date_order: {
    status: 400,
    exit: 2,
    sentence:
      'Whether 02/03 is in February or in March cannot be told from this chat, so nothing was imported. Say it with --date-order dmy, mdy or ymd.',
  },
  export_chat: {
    status: 400,
    exit: 2,
    sentence:
      'Which chat this is cannot be told by its name, so nothing was imported. Say it with --chat "a name or a number".',
  },
  export_me: {
    status: 400,
    exit: 2,
    sentence:
      'Who of these is you cannot be told, so nothing was imported: {names}. Say it with --me "name"; with --me "" if you wrote nothing there.',
  },
  export_busy: {
    status: 409,
    exit: 5,
    sentence: 'Another chat is being imported. Try again when it is done.',
  },

  // Digests
  digest_unreadable: {
    status: 502,
    exit: 1,
    sentence:
      'The model answered twice with something that is no digest, so there is none. It is tried again with the next hour, three times in all; another model may do better (`relay init`).',
  },
  digest_without_hours: {
    status: 502,
    exit: 1,
    sentence:
      'None of the hours of this day could be digested, so neither could the day. `relay digest --hours` says why.',
  },
  digest_unknown_day: {
    status: 400,
    exit: 2,
    sentence: '"{day}" is no day. Say yesterday, today, a weekday, or a date such as 2026-03-06.',
  },
  no_group_observed: {
    status: 404,
    exit: 4,
    sentence: 'No group is observed, so there is nothing to sum up. `relay observe add` begins.',
  },
  digest_group_unknown: {
    status: 404,
    exit: 4,
    sentence: 'No observed group is called {group}. Observed are: {groups}.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of models: those of the agents, the assistant and search.

export const MODEL_ERRORS = {
  // The model of the agents
  agent_unavailable: {
    status: 503,
    exit: 8,
    sentence:
      'Your agents have no model yet: {what}. Run `relay init` to set it up, then resume the conversation.',
  },
  model_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of your model was sealed for another home. Run `relay init --api-key` to give it anew.',
  },
  brave_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of the web search was sealed for another home. Run `relay init --brave-key` to give it anew.',
  },
  embeddings_incomplete: {
    status: 400,
    exit: 2,
    sentence:
      'Memory by meaning is not set up: {what}. `relay memory embeddings --help` shows what is needed.',
  },
  embeddings_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of the embeddings endpoint was sealed for another home. Run `relay memory embeddings endpoint --key` to give it anew.',
  },
  embeddings_missing: {
    status: 409,
    exit: 5,
    sentence:
      'The local model is not installed. Install it with `npm install --global {packages}`, then try again.',
  },
  embeddings_refused: {
    status: 502,
    exit: 8,
    sentence:
      'The embeddings endpoint refused: {where} answered {status}. Check address, model and key with `relay memory embeddings`.',
  },
  embeddings_away: {
    status: 503,
    exit: 8,
    sentence:
      'Texts got no vectors: {what}. Until that works, memory finds them by their words; Relay keeps trying.',
    passes: true,
  },
  model_refused: {
    status: 502,
    exit: 8,
    sentence:
      'The model refused: {provider} answered {status}. Check key, model name and address with `relay init`, then resume.',
  },
  model_busy: {
    status: 503,
    exit: 8,
    passes: true,
    sentence:
      'The model has too much to do: {provider} asked to be left alone for a while. Resume the conversation later.',
  },
  model_unreachable: {
    status: 503,
    exit: 8,
    passes: true,
    sentence:
      'The model cannot be reached: {provider} failed ({what}). Resume the conversation when it answers again; `relay init` changes its address.',
  },
  model_garbled: {
    status: 502,
    exit: 8,
    passes: true,
    sentence:
      'The model answered something that cannot be read; {provider} may be broken. Resume the conversation to try again, or choose another model with `relay init`.',
  },
  model_slow: {
    status: 504,
    exit: 8,
    passes: true,
    sentence:
      'The agent needed more than {seconds} s for its turn and was stopped. Resume the conversation to let it try again, or raise "agent.turn_timeout_ms" in relay.config.json.',
  },
  model_endless: {
    status: 502,
    exit: 8,
    sentence:
      'The model did not come to an end within its steps. Raise "agent.max_steps" in relay.config.json, or try another model.',
  },

  eval_running: {
    status: 409,
    exit: 5,
    sentence:
      'An evaluation runs already. Wait until it is over, or stop it with Ctrl-C where it was started.',
  },
  answer_broke_off: {
    status: 503,
    exit: 3,
    sentence:
      'The answer broke off: the daemon is gone or stopping. `relay status` says how it is; what was said by then is kept.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of webhooks.

export const WEBHOOK_ERRORS = {
  webhook_not_found: {
    status: 404,
    exit: 4,
    sentence: 'No webhook is called {webhook}. `relay webhook list` shows them.',
  },
  webhook_exists: {
    status: 409,
    exit: 5,
    sentence: 'A webhook called {webhook} is there already. Give this one another --name.',
  },
  webhook_too_many: {
    status: 409,
    exit: 5,
    sentence: 'There are {most} webhooks already, and no more are kept. Remove one first.',
  },
  webhook_url: {
    status: 400,
    exit: 2,
    sentence:
      'The address of a webhook holds no name and password. Leave them out: the signature says who sends.',
  },
  delivery_not_found: {
    status: 404,
    exit: 4,
    sentence: 'No delivery {delivery} is on record. `relay webhook deliveries` shows them.',
  },
} as const satisfies Record<string, ErrorSpec>;
