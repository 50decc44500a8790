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
             * @description As schedule_message and list_schedules give it.
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
             * @description As create_conversation and list_conversations give it.
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
            /** @description The chat: its id as get_chats gives it, a phone number, or the whole name that the owner has given it. */
            chat_id: string;
            /** @description What is to be reached, and what the agent has to know for it. The person is not shown it. */
            objective: string;
            /**
             * @description The steps on the way, each ticked off as it is done.
             * @default []
             */
            todos?: {
                text: string;
            }[];
            /** @description What the person may be told as it stands. */
            facts?: string[];
            /** @description How long an answer is waited for, and how often the person is reminded. */
            heartbeat_config?: {
                /** @default 86400000 */
                interval_ms?: number;
                /** @default 3 */
                max_followups?: number;
            };
        };
        output: {
            /** @enum {string} */
            status: "created" | "waiting_for_approval";
            /**
             * Format: uuid
             * @description Of the conversation; get_conversation tells how it goes.
             */
            id?: string;
            /** @enum {string} */
            state?: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
            /** @description What the owner’s yes is waited for under; it has not happened before that. */
            approval_id?: string;
            /** @description Why it is as it is, in a sentence. */
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
             * @description As create_conversation and list_conversations give it.
             */
            id: string;
            /**
             * @description Whether to hand out what was said.
             * @default false
             */
            transcript?: boolean;
        };
        output: {
            id: string;
            chat_id: string;
            name: string;
            /** @enum {string} */
            state: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
            /** @description The state in a sentence; “you” in it is the owner. */
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
            /** @description Of conversations that you created. */
            objective?: string;
            /** @description Of conversations that you created. */
            todos?: {
                text: string;
                status: string;
            }[];
            /** @description Why it stands where it stands, in the agent’s words. With the transcript. */
            reason?: string | null;
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
            /** @description The name of the group or a part of it, or its id; all of them without. */
            group?: string;
            /** @description today, yesterday, a weekday or YYYY-MM-DD; the last day with a digest without. */
            day?: string;
        };
        output: {
            digests: {
                group: {
                    /** @description Names the chat in every tool. */
                    id: string;
                    /** @description As the owner calls it. */
                    name: string;
                };
                /** @description YYYY-MM-DD by the clocks of `zone`. */
                day: string;
                zone: string;
                /** @description False: there is no digest of the whole day (yet). */
                complete: boolean;
                text: string;
            }[];
            /** @description How many groups did not fit; name one for its digest. */
            left_out: number;
        };
    };
    list_conversations: {
        input: {
            /**
             * @description Only those in this state.
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
                /** @description The state in a sentence; “you” in it is the owner. */
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
                /** @description Of conversations that you created. */
                objective?: string;
                /** @description Of conversations that you created. */
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
                /** @description Names the chat in every tool. */
                id: string;
                /** @description As the owner calls them. */
                name: string;
                /** @enum {string} */
                kind: "contact" | "group";
                /** @description Digits only. */
                phone_number: string | null;
                can_read: boolean;
                /** @description Messages may be sent there. */
                can_reply: boolean;
                /**
                 * @description draft: what is sent there waits for the owner’s yes.
                 * @enum {string}
                 */
                reply_mode: "draft" | "auto";
                /** @description Conversations may be started there. */
                can_initiate: boolean;
            }[];
            /** @description How many more there are. */
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
            /** @description The chat: its id as get_chats gives it, a phone number, or the whole name that the owner has given it. */
            chat_id: string;
            /**
             * @description How many messages at most: 30 unless given, never more than 100.
             * @default 30
             */
            limit?: number;
            /** @description Only what was said before: the cursor `older` of a page, or a time such as 2026-03-01T10:00:00Z. */
            before?: string;
            /** @description Only what was said after: the cursor `newer` of a page, or a time. Not together with `before`. */
            after?: string;
        };
        output: {
            chat: {
                /** @description Names the chat in every tool. */
                id: string;
                /** @description As the owner calls it. */
                name: string;
            };
            messages: {
                /** @description The message, as `why` takes it. */
                id: string;
                /** Format: date-time */
                at: string;
                /** @description Who wrote it: "me" is the owner; else the owner’s name for them, or their own. */
                from: string;
                from_me: boolean;
                /** @description Photos, voice notes and the like are a word in brackets. */
                text: string;
            }[];
            /** @description Give it as `before` to read on backwards; null: nothing is older. */
            older: string | null;
            /** @description Give it as `after` to read what was said since; null: there are no messages. */
            newer: string | null;
            /** @description How many of the messages asked for did not fit; read on for them with a cursor. */
            left_out: number;
        };
    };
    schedule_message: {
        input: {
            /** @description The chat: its id as get_chats gives it, a phone number, or the whole name that the owner has given it. */
            chat_id: string;
            /** @description The text, word for word as it will be read then. */
            message: string;
            /** @description HH:MM on the owner’s clock, or on that of zone: 09:00. Not needed with cron. */
            time?: string;
            /**
             * @description How it repeats.
             * @default once
             * @enum {string}
             */
            pattern?: "once" | "daily" | "weekly" | "cron";
            /** @description With once: YYYY-MM-DD. Without it, the next time that the clock shows the time. */
            date?: string;
            /** @description With weekly: on which days. Without it, the day on which the time comes next. */
            days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            /** @description With cron: the five fields, which have the time in them. */
            cron?: string;
            /** @description An IANA zone; the owner’s unless given. */
            zone?: string;
            /**
             * @description What becomes of times that Relay was not running at: left out, made up once, or all.
             * @enum {string}
             */
            catch_up?: "skip" | "once" | "all";
        };
        output: {
            /** @enum {string} */
            status: "scheduled" | "waiting_for_approval";
            schedule_id?: string;
            /** @description What was understood, in words. */
            when?: string;
            /** Format: date-time */
            next_at?: string;
            /** @description What the owner’s yes is waited for under; it has not happened before that. */
            approval_id?: string;
            /** @description Why it is as it is, in a sentence. */
            reason?: string;
        };
    };
    search_messages: {
        input: {
            /** @description What to look for: words, "a phrase", names, times. */
            query: string;
            /** @description The chat: its id as get_chats gives it, a phone number, or the whole name that the owner has given it. */
            chat_id?: string;
            /** @description Said then or later: 2026-03-01, an instant, or words such as last week. */
            from?: string;
            /** @description Said before, or on that day. */
            to?: string;
            /**
             * @description How many at most: 10 unless given, never more than 50.
             * @default 10
             */
            limit?: number;
        };
        output: {
            /** @description False: nothing that was found is surely about the query; it only comes nearest. */
            sure: boolean;
            messages: {
                /** @description The message, as `why` takes it. */
                id: string;
                /** Format: date-time */
                at: string;
                /** @description Who wrote it: "me" is the owner; else the owner’s name for them, or their own. */
                from: string;
                from_me: boolean;
                /** @description Photos, voice notes and the like are a word in brackets. */
                text: string;
                chat: {
                    /** @description Names the chat in every tool. */
                    id: string;
                    /** @description As the owner calls it. */
                    name: string;
                };
                /**
                 * @description A message; or what Relay sums up of an observed group.
                 * @enum {string}
                 */
                source: "message" | "digest" | "fact";
            }[];
            /** @description How many that were found did not fit; narrow the query for them. */
            left_out: number;
        };
    };
    send_message: {
        input: {
            /** @description Contact name or chat ID (as shown in WhatsApp Web) */
            chat_id: string;
            /** @description Message text */
            message: string;
        };
        output: {
            /** @description The id that the message is known by in the outbox */
            message_id?: string;
            /**
             * Format: date-time
             * @description When WhatsApp acknowledged it
             */
            sent_at?: string;
            /** @enum {string} */
            status?: "sent" | "queued" | "waiting_for_approval";
            /** @description What the owner’s yes is waited for under; it has not happened before that. */
            approval_id?: string;
            /** @description Why it is as it is, in a sentence. */
            reason?: string;
        };
    };
    summarize_chat: {
        input: {
            /** @description The chat: its id as get_chats gives it, a phone number, or the whole name that the owner has given it. */
            chat_id: string;
            /**
             * @description How many of the last messages: 50 unless given, never more than 200.
             * @default 50
             */
            limit?: number;
        };
        output: {
            chat: {
                /** @description Names the chat in every tool. */
                id: string;
                /** @description As the owner calls it. */
                name: string;
            };
            summary: string;
            /** @description How many messages it sums up. */
            messages: number;
            from: string | null;
            to: string | null;
            /** @description There are older messages, which are not in it. */
            more: boolean;
        };
    };
    why: {
        input: {
            /** @description The whole id of a message or of an approval. */
            id: string;
        };
        output: {
            id: string;
            /** @enum {string} */
            kind: "message" | "approval";
            /** @description Of an approval: pending, approved, rejected or expired. Of a message: received, or how far it has come: pending, sent, delivered, read, unknown or failed. */
            state: string;
            /** @description Why, as the ledger has it. */
            reason: string | null;
            /** @description The same in words for the owner: "you" is the owner. */
            sentence: string;
            /** Format: date-time */
            at: string;
            /** @description Null when you may no longer deal with it. */
            chat: {
                /** @description Names the chat in every tool. */
                id: string;
                /** @description As the owner calls it. */
                name: string;
            } | null;
            /** @description Of an approval: the message that the yes let go. */
            message_id: string | null;
            approval_id: string | null;
            schedule_id: string | null;
        };
    };
}
