// Generated from the registry of tools by `npm run generate`. Do not edit.

export const TOOL_NAMES = [
  'authenticate_qr',
  'cancel_schedule',
  'control_conversation',
  'create_conversation',
  'get_chats',
  'get_conversation',
  'get_digest',
  'list_conversations',
  'list_permissions',
  'list_schedules',
  'read_messages',
  'schedule_message',
  'search_messages',
  'send_message',
  'summarize_chat',
  'why',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** What each tool takes and gives. */
export interface Tools {
    authenticate_qr: {
        input: Record<string, never>;
        output: {
            /** @description QR code image as base64-encoded PNG */
            qr_code_base64?: string;
            /**
             * @description Authentication status
             * @enum {string}
             */
            status: "waiting" | "authenticated";
        };
    };
    cancel_schedule: {
        input: {
            /**
             * Format: uuid
             * @description Id from schedule_message or list_schedules.
             */
            id: string;
        };
        output: {
            id: string;
            /** @constant */
            status: "cancelled";
        };
    };
    control_conversation: {
        input: {
            /**
             * Format: uuid
             * @description Id from create_conversation or list_conversations.
             */
            id: string;
            /** @enum {string} */
            action: "pause" | "resume" | "cancel";
        };
        output: {
            id: string;
            /** @enum {string} */
            state: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
        };
    };
    create_conversation: {
        input: {
            /** @description The chat: its id from get_chats, a phone number, or the complete name that the owner gave it. */
            chat_id: string;
            /** @description The goal, and what the agent needs to know. It is not shown to the person. */
            objective: string;
            /**
             * @description Steps to complete; the agent marks each as done.
             * @default []
             */
            todos?: {
                text: string;
            }[];
            /** @description Facts that the agent may share as written. */
            facts?: string[];
            /** @description How long to wait for a reply, and how many follow-ups to send. */
            heartbeat_config?: {
                /** @default 86400000 */
                interval_ms?: number;
                /** @default 3 */
                max_followups?: number;
            };
            /** @description A JSON Schema of type object. The agent fills it from what the person tells; read it with get_conversation. */
            result_schema?: {
                [key: string]: unknown;
            };
        };
        output: {
            /** @enum {string} */
            status: "created" | "waiting_for_approval";
            /**
             * Format: uuid
             * @description Id of the conversation, for get_conversation.
             */
            id?: string;
            /** @enum {string} */
            state?: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
            /** @description Id of the pending approval; nothing happens until the owner approves it. */
            approval_id?: string;
            /** @description The reason, as a sentence. */
            reason?: string;
        };
    };
    get_chats: {
        input: {
            /** @default true */
            unread_only?: boolean;
        };
        output: {
            chats: {
                id: string;
                name: string;
                last_message: string;
                unread_count: number;
            }[];
        };
    };
    get_conversation: {
        input: {
            /**
             * Format: uuid
             * @description Id from create_conversation or list_conversations.
             */
            id: string;
            /**
             * @description Whether to include the messages.
             * @default false
             */
            transcript?: boolean;
            /**
             * @description Whether to include the result. It counts as reading the person’s messages.
             * @default false
             */
            result?: boolean;
        };
        output: {
            id: string;
            chat_id: string;
            name: string;
            /** @enum {string} */
            state: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
            /** @description The state as a sentence; “you” is the owner. */
            meaning: string;
            created_by_you: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            next_follow_up_at: string | null;
            follow_up_count: number;
            max_followups: number;
            messages_sent: number;
            messages_received: number;
            todos_done: number;
            todos_total: number;
            /**
             * @description Only for conversations with a result: `valid` once there is one.
             * @enum {string}
             */
            result_status?: "pending" | "valid" | "missing" | "invalid" | "none";
            /** @description Only for conversations that you created. */
            objective?: string;
            /** @description Only for conversations that you created. */
            todos?: {
                text: string;
                status: string;
            }[];
            /** @description Reason for the state, in the agent’s words. Only with the transcript. */
            reason?: string | null;
            /** @description Matches the schema; null without a valid one. */
            result?: {
                [key: string]: unknown;
            } | null;
            /** @description Why there is no result. */
            result_reason?: string | null;
            /**
             * @description It is text of the person.
             * @constant
             */
            result_from_contact?: true;
            transcript?: {
                /** @enum {string} */
                from: "agent" | "owner" | "contact";
                text: string;
                /** Format: date-time */
                at: string;
            }[];
        };
    };
    get_digest: {
        input: {
            /** @description Name of the group, part of it, or its id (default: all groups). */
            group?: string;
            /** @description today, yesterday, a weekday or YYYY-MM-DD (default: the latest digest). */
            day?: string;
        };
        output: {
            digests: {
                group: {
                    /** @description Id of the chat, for all tools. */
                    id: string;
                    /** @description The owner’s name for the chat. */
                    name: string;
                };
                /** @description YYYY-MM-DD in the time zone `zone`. */
                day: string;
                zone: string;
                /** @description Whether there is a digest of the whole day. */
                complete: boolean;
                text: string;
            }[];
            /** @description Number of groups that did not fit; request one by name. */
            left_out: number;
        };
    };
    list_conversations: {
        input: {
            /**
             * @description Only conversations in this state.
             * @enum {string}
             */
            state?: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
            /** @default 50 */
            limit?: number;
        };
        output: {
            conversations: {
                id: string;
                chat_id: string;
                name: string;
                /** @enum {string} */
                state: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
                /** @description The state as a sentence; “you” is the owner. */
                meaning: string;
                created_by_you: boolean;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
                next_follow_up_at: string | null;
                follow_up_count: number;
                max_followups: number;
                messages_sent: number;
                messages_received: number;
                todos_done: number;
                todos_total: number;
                /**
                 * @description Only for conversations with a result: `valid` once there is one.
                 * @enum {string}
                 */
                result_status?: "pending" | "valid" | "missing" | "invalid" | "none";
                /** @description Only for conversations that you created. */
                objective?: string;
                /** @description Only for conversations that you created. */
                todos?: {
                    text: string;
                    status: string;
                }[];
            }[];
        };
    };
    list_permissions: {
        input: Record<string, never>;
        output: {
            permissions: {
                /** @description Id of the chat, for all tools. */
                id: string;
                /** @description The owner’s name for the person or group. */
                name: string;
                /** @enum {string} */
                kind: "contact" | "group";
                /** @description Digits only. */
                phone_number: string | null;
                can_read: boolean;
                /** @description Whether messages may be sent. */
                can_reply: boolean;
                /**
                 * @description draft: messages need the owner’s approval.
                 * @enum {string}
                 */
                reply_mode: "draft" | "auto";
                /** @description Whether conversations may be started. */
                can_initiate: boolean;
            }[];
            /** @description Number of further entries. */
            left_out: number;
        };
    };
    list_schedules: {
        input: {
            /**
             * @default active
             * @enum {string}
             */
            state?: "active" | "done" | "cancelled" | "all";
        };
        output: {
            schedules: {
                id: string;
                chat_id: string;
                name: string;
                /** @enum {string} */
                state: "active" | "done" | "cancelled";
                when: string;
                next_at: string | null;
                last_outcome: ("queued" | "waiting" | "refused" | "skipped") | null;
                /** Format: date-time */
                created_at: string;
                created_by_you: boolean;
                message?: string;
            }[];
        };
    };
    read_messages: {
        input: {
            /** @description The chat: its id from get_chats, a phone number, or the complete name that the owner gave it. */
            chat_id: string;
            /**
             * @description Maximum number of messages, up to 100 (default: 30).
             * @default 30
             */
            limit?: number;
            /** @description Only messages before this: the cursor `older` of a page, or a time such as 2026-03-01T10:00:00Z. */
            before?: string;
            /** @description Only messages after this: the cursor `newer` of a page, or a time. Not together with `before`. */
            after?: string;
        };
        output: {
            chat: {
                /** @description Id of the chat, for all tools. */
                id: string;
                /** @description The owner’s name for the chat. */
                name: string;
            };
            messages: {
                /** @description Id of the message, for `why`. */
                id: string;
                /** Format: date-time */
                at: string;
                /** @description "me" is the owner; otherwise the owner’s name for the sender, or their own. */
                from: string;
                from_me: boolean;
                /** @description Text of the message; media is a word in brackets. */
                text: string;
                /** @description Its file: GET /api/media/:id has the bytes. A transcript was made by a machine. */
                media?: {
                    /** Format: uuid */
                    id: string;
                    /** @enum {string} */
                    kind: "image" | "voice" | "audio" | "video" | "document" | "sticker";
                    mimetype: string | null;
                    bytes: number | null;
                    sha256: string | null;
                    /** @enum {string} */
                    state: "waiting" | "stored" | "unavailable" | "refused" | "removed";
                    reason?: string;
                    transcript?: string;
                    language?: string;
                    file_name?: string;
                    seconds?: number;
                };
                /** @description What it is besides text and a file: a place, contacts, a poll, a mark on a message. */
                content?: {
                    /** @constant */
                    kind: "location";
                    latitude: number;
                    longitude: number;
                    name: string | null;
                    address: string | null;
                    live: boolean;
                } | {
                    /** @constant */
                    kind: "contacts";
                    contacts: {
                        name: string;
                        phone_numbers: string[];
                    }[];
                } | {
                    /** @constant */
                    kind: "poll";
                    question: string;
                    options: string[];
                    select_up_to: number;
                } | {
                    /** @constant */
                    kind: "reaction";
                    to: string;
                    emoji: string;
                } | {
                    /** @constant */
                    kind: "edit";
                    of: string;
                } | {
                    /** @constant */
                    kind: "delete";
                    of: string;
                } | {
                    /** @constant */
                    kind: "vote";
                    poll: string;
                } | {
                    /** @constant */
                    kind: "view_once";
                };
            }[];
            /** @description Pass it as `before` for older messages; null if there are none. */
            older: string | null;
            /** @description Pass it as `after` for newer messages; null if there are no messages. */
            newer: string | null;
            /** @description Number of messages that did not fit; read them with a cursor. */
            left_out: number;
        };
    };
    schedule_message: {
        input: {
            /** @description The chat: its id from get_chats, a phone number, or the complete name that the owner gave it. */
            chat_id: string;
            /** @description The text, exactly as it will be sent. */
            message?: string;
            /** @description A file, by the id of an upload (POST /api/media) or of a message’s media. */
            media?: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "image" | "voice" | "audio" | "video" | "document";
                caption?: string;
            };
            /** @description With an empty `message`: a poll. */
            poll?: {
                question: string;
                options: string[];
                /** @default 1 */
                select_up_to?: number;
            };
            /** @description With an empty `message`: a place. */
            location?: {
                latitude: number;
                longitude: number;
                name?: string;
                address?: string;
            };
            /** @description HH:MM in the owner’s time zone or in zone, such as 09:00. Not needed with cron. */
            time?: string;
            /**
             * @description How it repeats.
             * @default once
             * @enum {string}
             */
            pattern?: "once" | "daily" | "weekly" | "cron";
            /** @description With once: YYYY-MM-DD (default: the next time it is that time). */
            date?: string;
            /** @description With weekly: the days (default: the day of the next occurrence). */
            days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            /** @description With cron: an expression with five fields. */
            cron?: string;
            /** @description An IANA time zone (default: the owner’s). */
            zone?: string;
            /**
             * @description Runs missed while Relay was offline: skip them, send once, or send all.
             * @enum {string}
             */
            catch_up?: "skip" | "once" | "all";
        };
        output: {
            /** @enum {string} */
            status: "scheduled" | "waiting_for_approval";
            schedule_id?: string;
            /** @description The schedule in words. */
            when?: string;
            /** Format: date-time */
            next_at?: string;
            /** @description Id of the pending approval; nothing happens until the owner approves it. */
            approval_id?: string;
            /** @description The reason, as a sentence. */
            reason?: string;
        };
    };
    search_messages: {
        input: {
            /** @description Words, "a phrase", names or times to search for. */
            query: string;
            /** @description The chat: its id from get_chats, a phone number, or the complete name that the owner gave it. */
            chat_id?: string;
            /** @description From this day on: 2026-03-01, an instant, or words such as last week. */
            from?: string;
            /** @description Up to and including this day. */
            to?: string;
            /**
             * @description Maximum number of results, up to 50 (default: 10).
             * @default 10
             */
            limit?: number;
        };
        output: {
            /** @description False if there is no clear match; the closest results are returned. */
            sure: boolean;
            messages: {
                /** @description Id of the message, for `why`. */
                id: string;
                /** Format: date-time */
                at: string;
                /** @description "me" is the owner; otherwise the owner’s name for the sender, or their own. */
                from: string;
                from_me: boolean;
                /** @description Text of the message; media is a word in brackets. */
                text: string;
                /** @description Its file: GET /api/media/:id has the bytes. A transcript was made by a machine. */
                media?: {
                    /** Format: uuid */
                    id: string;
                    /** @enum {string} */
                    kind: "image" | "voice" | "audio" | "video" | "document" | "sticker";
                    mimetype: string | null;
                    bytes: number | null;
                    sha256: string | null;
                    /** @enum {string} */
                    state: "waiting" | "stored" | "unavailable" | "refused" | "removed";
                    reason?: string;
                    transcript?: string;
                    language?: string;
                    file_name?: string;
                    seconds?: number;
                };
                /** @description What it is besides text and a file: a place, contacts, a poll, a mark on a message. */
                content?: {
                    /** @constant */
                    kind: "location";
                    latitude: number;
                    longitude: number;
                    name: string | null;
                    address: string | null;
                    live: boolean;
                } | {
                    /** @constant */
                    kind: "contacts";
                    contacts: {
                        name: string;
                        phone_numbers: string[];
                    }[];
                } | {
                    /** @constant */
                    kind: "poll";
                    question: string;
                    options: string[];
                    select_up_to: number;
                } | {
                    /** @constant */
                    kind: "reaction";
                    to: string;
                    emoji: string;
                } | {
                    /** @constant */
                    kind: "edit";
                    of: string;
                } | {
                    /** @constant */
                    kind: "delete";
                    of: string;
                } | {
                    /** @constant */
                    kind: "vote";
                    poll: string;
                } | {
                    /** @constant */
                    kind: "view_once";
                };
                chat: {
                    /** @description Id of the chat, for all tools. */
                    id: string;
                    /** @description The owner’s name for the chat. */
                    name: string;
                };
                /**
                 * @description A message, or a digest or fact of an observed group.
                 * @enum {string}
                 */
                source: "message" | "digest" | "fact";
            }[];
            /** @description Number of results that did not fit; narrow the query. */
            left_out: number;
        };
    };
    send_message: {
        input: {
            /** @description Contact name or chat ID (as shown in WhatsApp Web) */
            chat_id: string;
            /** @description Message text, or the caption of a file; empty with anything else */
            message: string;
            /** @description A file, by the id of an upload (POST /api/media) or of a message’s media. */
            media?: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "image" | "voice" | "audio" | "video" | "document";
                caption?: string;
            };
            /** @description With an empty `message`: a poll. */
            poll?: {
                question: string;
                options: string[];
                /** @default 1 */
                select_up_to?: number;
            };
            /** @description With an empty `message`: a place. */
            location?: {
                latitude: number;
                longitude: number;
                name?: string;
                address?: string;
            };
            /** @description With an empty `message`: an emoji on a message; empty takes it back. */
            reaction?: {
                to: string;
                emoji: string;
            };
            /** @description `message` becomes the new text of this message, which you sent. */
            edit?: {
                of: string;
            };
            /** @description With an empty `message`: deletes a message that you sent, for everyone. */
            delete?: {
                of: string;
            };
        };
        output: {
            /** @description Id of the message in the outbox */
            message_id?: string;
            /**
             * Format: date-time
             * @description When WhatsApp acknowledged it
             */
            sent_at?: string;
            /** @enum {string} */
            status?: "sent" | "queued" | "waiting_for_approval";
            /** @description Id of the pending approval; nothing happens until the owner approves it. */
            approval_id?: string;
            /** @description The reason, as a sentence. */
            reason?: string;
        };
    };
    summarize_chat: {
        input: {
            /** @description The chat: its id from get_chats, a phone number, or the complete name that the owner gave it. */
            chat_id: string;
            /**
             * @description Maximum number of messages, up to 200 (default: 50).
             * @default 50
             */
            limit?: number;
        };
        output: {
            chat: {
                /** @description Id of the chat, for all tools. */
                id: string;
                /** @description The owner’s name for the chat. */
                name: string;
            };
            summary: string;
            /** @description Number of messages in the summary. */
            messages: number;
            from: string | null;
            to: string | null;
            /** @description Whether there are older messages that are not in the summary. */
            more: boolean;
        };
    };
    why: {
        input: {
            /** @description Complete id of a message or an approval. */
            id: string;
        };
        output: {
            id: string;
            /** @enum {string} */
            kind: "message" | "approval";
            /** @description For an approval: pending, approved, rejected or expired. For a message: received, pending, sent, delivered, read, unknown or failed. */
            state: string;
            /** @description The reason code in the ledger. */
            reason: string | null;
            /** @description The explanation as a sentence; "you" is the owner. */
            sentence: string;
            /** Format: date-time */
            at: string;
            /** @description Null if you may no longer use this chat. */
            chat: {
                /** @description Id of the chat, for all tools. */
                id: string;
                /** @description The owner’s name for the chat. */
                name: string;
            } | null;
            /** @description For an approval: the message sent after it. */
            message_id: string | null;
            approval_id: string | null;
            schedule_id: string | null;
        };
    };
}
