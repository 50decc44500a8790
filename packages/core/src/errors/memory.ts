// What is read and kept: notifications, exported chats, digests, and the memory outside of Relay. Part of the one table of errors in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const MEMORY = {
  // Messages that come beside the wire
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

  // Memory outside of Relay
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
