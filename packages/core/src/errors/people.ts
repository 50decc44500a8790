// People and WhatsApp: contacts, grants, approvals, and the link to the account. Part of the one table of errors in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const PEOPLE = {
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
