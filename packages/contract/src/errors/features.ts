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
    sentence: 'There is no such contact.',
    action: 'See /api/contacts for all contacts.',
    actionFor: {
      command: 'See all contacts with `relay contacts`.',
      api: 'List contacts at /api/v1/accounts/{account}/contacts.',
    },
  },
  contact_unknown: {
    status: 404,
    exit: 4,
    sentence: 'There is no contact named {who}.',
    action: 'See `relay contacts`; give a new person’s number, such as +49 170 1234567.',
    actionFor: {
      api: 'List contacts at /api/v1/accounts/{account}/contacts, or give a new person’s number, such as +49 170 1234567.',
    },
  },
  chat_gone: {
    status: 404,
    exit: 4,
    sentence: 'This chat does not exist, or was erased.',
  },
  chat_unknown: {
    status: 404,
    exit: 4,
    sentence: 'There is no chat {chat} that this client may use.',
    actionFor: {
      api: 'List chats at /api/v1/accounts/{account}/chats, or contacts at /api/v1/accounts/{account}/contacts.',
      tools: 'Call the tool get_chats for the chats it may read.',
    },
  },
  chat_silent: {
    status: 404,
    exit: 4,
    sentence: 'There are no messages with {chat} yet.',
  },
  chat_unclear: {
    status: 409,
    exit: 2,
    sentence: '{chat} matches several chats: {candidates}.',
    action: 'Give the id of one.',
  },
  forget_self: {
    status: 409,
    exit: 2,
    sentence: 'This is your own account.',
    action:
      'Unlink this device with `relay whatsapp disconnect --clear-session`; delete the home to erase everything.',
  },
  contact_ambiguous: {
    status: 400,
    exit: 2,
    sentence: '{who} could mean: {candidates}.',
    action: 'Give the number; a name is enough only if you gave it to exactly one contact.',
  },
  contact_unnumbered: {
    status: 409,
    exit: 5,
    sentence: 'The number of {who} is not known: WhatsApp has shown only a hidden id.',
    action: 'Give the number, such as +49 170 1234567.',
  },
  group_unknown: {
    status: 404,
    exit: 4,
    sentence: 'There is no group named {group}.',
    action: 'See `relay contacts`; give a new group’s address, such as 120363000000000001@g.us.',
  },
  group_unclear: {
    status: 409,
    exit: 2,
    sentence: '{group} matches several groups: {candidates}.',
    action: 'Give the address of one.',
  },
  not_observed: {
    status: 404,
    exit: 4,
    sentence: '{group} is not observed.',
    action: 'List observed groups with `relay observe list`.',
  },
  not_announced: {
    status: 409,
    exit: 2,
    sentence:
      'Tell the group {group} first that it will be observed, for example: “{announcement}”',
    action: 'Then repeat this with `"announced": true`.',
    actionFor: {
      command: 'Then repeat this with `--announced`.',
    },
  },
  unknown_zone: {
    status: 400,
    exit: 2,
    sentence: '{zone} is not a time zone.',
    action: 'Give one such as Europe/Berlin.',
  },
  unknown_day: {
    status: 400,
    exit: 2,
    sentence: '{day} is not a day.',
    action: 'Give a date such as 2026-03-01, or words such as yesterday, friday or last week.',
  },
  not_granted: {
    status: 404,
    exit: 4,
    sentence: '{who} has no grant.',
    action: 'See all grants with `relay contacts`.',
  },

  invalid_schedule: { status: 400, exit: 2, sentence: '{what}' },
  schedule_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Schedule {id} not found.',
    action: 'List schedules with `relay schedule list`.',
    actionFor: {
      api: 'List schedules at /api/v1/accounts/{account}/schedules.',
      tools: 'Call the tool list_schedules.',
    },
  },
  schedule_unseen: {
    status: 404,
    exit: 4,
    sentence: 'There is no schedule {id} that this client may see.',
    actionFor: {
      api: 'List schedules at /api/v1/accounts/{account}/schedules.',
      tools: 'Call the tool list_schedules.',
    },
  },
  schedule_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one schedule id starts with {id}: {candidates}.',
    action: 'Give more characters.',
  },
  schedule_over: {
    status: 409,
    exit: 5,
    sentence: 'Schedule {id} has already ended.',
    action: 'List active schedules with `relay schedule list`.',
    actionFor: {
      api: 'List schedules at /api/v1/accounts/{account}/schedules.',
      tools: 'Call the tool list_schedules.',
    },
  },
  no_own_chat: {
    status: 409,
    exit: 5,
    sentence: 'No phone is linked yet, so you have no chat with yourself.',
    action: 'Link one with `relay init`.',
  },
  key_reused: {
    status: 409,
    exit: 5,
    sentence: 'This idempotency key was used for a different call.',
    action: 'Use a new key for each new call.',
  },
  conflict: { status: 409, exit: 5, sentence: '{what}' },

  // WhatsApp
  no_qr_code: { status: 404, exit: 4, sentence: 'No QR code available' },
  link_passkey_not_asked: {
    status: 409,
    exit: 5,
    sentence: 'WhatsApp does not wait for a passkey now.',
    action: 'Link again with `relay init`.',
  },
  link_passkey_outdated: {
    status: 409,
    exit: 5,
    sentence: 'This passkey answers an earlier attempt, or it was already sent.',
    action: 'Use the request that is shown now.',
  },
  link_passkey_invalid: {
    status: 400,
    exit: 2,
    sentence: 'This does not answer WhatsApp’s request: {why}. Nothing was sent.',
    action: 'Confirm again in the WhatsApp Web tab.',
  },
  whatsapp_not_connected: { status: 409, exit: 5, sentence: '{sentence}' },
  whatsapp_unreachable: { status: 503, exit: 7, sentence: '{sentence}', passes: true },
  whatsapp_changed: { status: 409, exit: 5, sentence: '{sentence}' },
  whatsapp_not_started: { status: 502, exit: 8, sentence: '{sentence}' },
  session_not_kept: { status: 500, exit: 8, sentence: '{sentence}' },
  chat_not_found: {
    status: 404,
    exit: 4,
    sentence: '{sentence}',
    actionFor: {
      api: 'List chats at /api/v1/accounts/{account}/chats, or contacts at /api/v1/accounts/{account}/contacts.',
      tools: 'Call the tool get_chats for the chats it may read.',
    },
  },
  not_delivered: { status: 409, exit: 5, sentence: '{sentence}' },
  invalid_recipient: {
    status: 400,
    exit: 2,
    sentence: '{to} is not a valid recipient.',
    action: 'Give a phone number in international form, such as +49 170 1234567.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of notifications, exported chats, digests and the digest export.

export const MEMORY_ERRORS = {
  // Forwarded notifications
  notification_group_unknown: {
    status: 404,
    exit: 4,
    sentence: 'No observed group has this name. Nothing was stored.',
    action: 'See the names with `relay observe list`.',
  },
  notification_group_ambiguous: {
    status: 409,
    exit: 5,
    sentence: 'Several observed groups have this name. Nothing was stored.',
    action: 'Rename one of them in WhatsApp.',
  },
  notification_time: {
    status: 400,
    exit: 2,
    sentence: 'A notification is more than a week old or from the future. Nothing was stored.',
    action: 'Send the time at which it was shown.',
  },
  notification_empty: {
    status: 400,
    exit: 2,
    sentence: 'A notification has no content. Nothing was stored.',
    action: 'Send its text or a media_type.',
  },

  // Digest export
  webhook_secret_sealed: {
    status: 500,
    exit: 8,
    sentence: 'The secret of the webhook was encrypted for another home folder.',
    action: 'Create a new one with `relay memory outside --rotate-secret`.',
  },
  outside_folder: {
    status: 400,
    exit: 2,
    sentence: 'The folder must be an absolute path. Nothing was changed.',
    action: 'Give one such as /home/ana/memory.',
  },

  // Exported chats
  export_invalid: {
    status: 400,
    exit: 2,
    sentence: 'This is not an exported chat: {what}.',
    action: 'In WhatsApp open the chat, choose Export chat, and use the .txt or .zip.',
  },
  export_date_order: {
    status: 400,
    exit: 2,
    sentence:
      'The order of day and month in this chat is unclear: 02/03 could be February or March. Nothing was imported.',
    action: 'Give it with --date-order dmy, mdy or ymd.',
  },
  export_chat: {
    status: 400,
    exit: 2,
    sentence: 'The file name does not say which chat this is. Nothing was imported.',
    action: 'Give it with --chat "a name or a number".',
  },
  export_me: {
    status: 400,
    exit: 2,
    sentence: 'It is unclear which of these is you: {names}. Nothing was imported.',
    action: 'Give your name with --me "name", or --me "" if you wrote nothing there.',
  },
  export_busy: {
    status: 409,
    exit: 5,
    sentence: 'Another chat is being imported.',
    action: 'Try again when it is done.',
  },

  // Digests
  digest_unreadable: {
    status: 502,
    exit: 1,
    sentence: 'The model gave two answers that are not digests, so there is no digest.',
    action:
      'Relay tries again with the next hour, 3 times in all. Another model may do better (`relay init`).',
  },
  digest_without_hours: {
    status: 502,
    exit: 1,
    sentence: 'No hour of this day has a digest, so there is no daily digest.',
    action: 'See the reasons with `relay digest --hours`.',
  },
  digest_unknown_day: {
    status: 400,
    exit: 2,
    sentence: '"{day}" is not a day.',
    action: 'Use yesterday, today, a weekday, or a date such as 2026-03-06.',
  },
  no_group_observed: {
    status: 404,
    exit: 4,
    sentence: 'No group is observed.',
    action: 'Add one with `relay observe add`.',
  },
  digest_group_unknown: {
    status: 404,
    exit: 4,
    sentence: 'There is no observed group named {group}. Observed groups: {groups}.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of models: those of the agents, the assistant and search.

export const MODEL_ERRORS = {
  // The model of the agents
  agent_unavailable: {
    status: 503,
    exit: 8,
    sentence: 'Your agents have no model: {what}.',
    action: 'Set one up with `relay init`, then resume the conversation.',
  },
  model_key_sealed: {
    status: 500,
    exit: 8,
    sentence: 'The key of your model was encrypted for another home folder.',
    action: 'Enter it again with `relay init --api-key`.',
  },
  brave_key_sealed: {
    status: 500,
    exit: 8,
    sentence: 'The key of the web search was encrypted for another home folder.',
    action: 'Enter it again with `relay init --brave-key`.',
  },
  embeddings_incomplete: {
    status: 400,
    exit: 2,
    sentence: 'Search by meaning is not set up: {what}.',
    action: 'See `relay memory embeddings --help`.',
  },
  embeddings_key_sealed: {
    status: 500,
    exit: 8,
    sentence: 'The key of the embeddings endpoint was encrypted for another home folder.',
    action: 'Enter it again with `relay memory embeddings endpoint --key`.',
  },
  embeddings_missing: {
    status: 409,
    exit: 5,
    sentence: 'The local model is not installed.',
    action: 'Install it with `npm install --global {packages}`, then try again.',
  },
  embeddings_refused: {
    status: 502,
    exit: 8,
    sentence: 'The embeddings endpoint {where} answered {status}.',
    action: 'Check address, model and key with `relay memory embeddings`.',
  },
  embeddings_away: {
    status: 503,
    exit: 8,
    sentence: 'Embeddings failed: {what}.',
    action: 'Search uses words until this works; Relay keeps trying.',
    passes: true,
  },
  model_refused: {
    status: 502,
    exit: 8,
    sentence: 'The model refused: {provider} answered {status}.',
    action: 'Check key, model name and address with `relay init`, then resume.',
  },
  model_busy: {
    status: 503,
    exit: 8,
    passes: true,
    sentence: 'The model is overloaded: {provider} asked to wait.',
    action: 'Resume the conversation later.',
  },
  model_unreachable: {
    status: 503,
    exit: 8,
    passes: true,
    sentence: 'The model cannot be reached: {provider} failed ({what}).',
    action:
      'Resume the conversation when it answers again, or change its address with `relay init`.',
  },
  model_garbled: {
    status: 502,
    exit: 8,
    passes: true,
    sentence: 'The model’s answer could not be read ({provider}).',
    action: 'Resume the conversation to try again, or choose another model with `relay init`.',
  },
  model_slow: {
    status: 504,
    exit: 8,
    passes: true,
    sentence: 'The agent’s turn took more than {seconds} s and was stopped.',
    action:
      'Resume the conversation to try again, or raise "agent.turn_timeout_ms" in relay.config.json.',
  },
  model_endless: {
    status: 502,
    exit: 8,
    sentence: 'The model did not finish within the allowed number of calls.',
    action: 'Raise "agent.max_steps" in relay.config.json, or try another model.',
  },

  // Checking a model before its settings are saved. The check says which action helps at this provider.
  model_not_saved: { status: 400, exit: 8, sentence: '{what} Nothing was saved.' },
  model_incomplete: { status: 400, exit: 2, sentence: 'The model is not set up: {what}.' },
  model_key_refused: {
    status: 400,
    exit: 8,
    sentence: '{provider} does not accept the key: {address} answered {status}.',
  },
  model_not_found: { status: 400, exit: 8, sentence: 'There is no model “{model}” at {address}.' },
  model_address_wrong: {
    status: 400,
    exit: 8,
    sentence: 'No model answers at {address}: {what}.',
    action: 'Check the address; most end in /v1.',
  },
  model_offline: {
    status: 503,
    exit: 8,
    sentence: '{address} cannot be reached: {what}.',
    passes: true,
  },
  model_no_answer: {
    status: 504,
    exit: 8,
    sentence: '{model} at {address} did not answer within {seconds} s.',
    passes: true,
  },
  model_rejected_test: {
    status: 502,
    exit: 8,
    sentence: '{address} refused the test question to {model} (status {status}).',
  },
  models_unlisted: {
    status: 502,
    exit: 8,
    sentence: '{address} does not list its models: {what}.',
    action: 'Give the name of a model, such as with `relay init --model <name>`.',
  },

  eval_running: {
    status: 409,
    exit: 5,
    sentence: 'An evaluation is already running.',
    action: 'Wait until it ends, or stop it with Ctrl-C where it was started.',
  },
  answer_broke_off: {
    status: 503,
    exit: 3,
    sentence: 'The answer was interrupted: the daemon stopped. What arrived so far is kept.',
    action: 'Check it with `relay status`.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of notifications.

export const NOTIFICATION_ERRORS = {
  push_devices_full: {
    status: 409,
    exit: 5,
    sentence: 'There are already {most} devices with notifications, the maximum.',
    action: 'Remove one first.',
  },
  push_device_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no device {device} with notifications.',
    action: 'List devices with `relay notifications`.',
  },
  notification_token_sealed: {
    status: 500,
    exit: 8,
    sentence: 'The token for {channel} was encrypted for another home.',
    action: 'Set it again with `relay notifications set {channel} --token`.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of webhooks.

export const WEBHOOK_ERRORS = {
  webhook_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no webhook named {webhook}.',
    action: 'List webhooks with `relay webhook list`.',
    actionFor: {
      api: 'List webhooks at /api/v1/accounts/{account}/webhooks.',
    },
  },
  webhook_exists: {
    status: 409,
    exit: 5,
    sentence: 'A webhook named {webhook} already exists.',
    action: 'Choose another name.',
    actionFor: {
      command: 'Choose another name with --name.',
    },
  },
  webhook_too_many: {
    status: 409,
    exit: 5,
    sentence: 'There are already {most} webhooks, the maximum.',
    action: 'Remove one first.',
  },
  webhook_url: {
    status: 400,
    exit: 2,
    sentence: 'The address of a webhook must not contain a name and password.',
    action: 'Remove them; the signature proves the sender.',
  },
  webhook_inside: {
    status: 400,
    exit: 2,
    sentence: 'Relay may not send webhooks to {place}: the address is on your own network.',
    action:
      'To allow it, run `relay config set webhooks.allow {allow}`, restart Relay, and add the webhook again.',
  },
  webhook_host_unknown: {
    status: 400,
    exit: 2,
    sentence: 'The host {host} has no address, so nothing could be delivered.',
    action: 'Check the spelling. With --no-verify the webhook is added anyway.',
    actionFor: {
      api: 'Check the spelling.',
    },
  },
  delivery_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no delivery {delivery}.',
    action: 'List deliveries with `relay webhook deliveries`.',
  },
} as const satisfies Record<string, ErrorSpec>;

// Errors of media.

export const MEDIA_ERRORS = {
  media_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no media with this id.',
  },
  media_not_stored: {
    status: 409,
    exit: 5,
    sentence: 'Relay does not have the bytes of this media.',
    action: 'Its `state` and `reason` say why.',
  },
  media_range: {
    status: 416,
    exit: 2,
    sentence: 'The file has only {bytes} bytes.',
  },
  media_no_room: {
    status: 507,
    exit: 5,
    sentence: 'There is no room for this file: all media together have reached their limit.',
    action: 'Delete some, or raise "media.total_megabytes" in the settings.',
  },
  media_wrong_kind: {
    status: 400,
    exit: 2,
    sentence: 'This file is {mimetype} and cannot be sent as {kind}.',
    action: 'Send it as a document.',
  },
  media_too_large: {
    status: 413,
    exit: 2,
    sentence: 'The file is larger than {megabytes} MB.',
    action: 'Send a smaller one, or raise "media.limit_megabytes" in the settings.',
  },
  transcription_unset: {
    status: 409,
    exit: 5,
    sentence: 'Voice messages cannot be transcribed: {what}.',
    action: 'Set it in the settings, then try again.',
  },
  transcription_missing: {
    status: 409,
    exit: 5,
    sentence: 'The model that transcribes voice messages is not installed.',
    action: 'Install it with `npm install --global {packages}`, then try again.',
  },
  transcription_away: {
    status: 503,
    exit: 8,
    sentence: 'A voice message could not be transcribed: {what}.',
    action: 'Relay tries it again.',
    passes: true,
  },
  transcription_failed: {
    status: 502,
    exit: 8,
    sentence: 'A voice message could not be transcribed: {what}.',
    action: 'Check address, model and key of "transcription" in the settings.',
  },
  transcription_key_sealed: {
    status: 409,
    exit: 5,
    sentence: 'The key for transcription was encrypted for another home.',
    action: 'Enter it again as "transcription.transcription_api_key" in the settings file.',
  },
} as const satisfies Record<string, ErrorSpec>;
