// Generated from the schema of webhooks by `npm run generate`. Do not edit.

/** The body of a webhook, by its `type`. */
export type WebhookEvent = {
    /** @constant */
    type: "message.received";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        message_id: string;
        /** Format: uuid */
        chat_id: string;
        /** @enum {string} */
        chat_kind: "direct" | "group";
        contact_id: string | null;
        /** @constant */
        direction: "in";
        kind: string;
        /** Format: date-time */
        sent_at: string;
        late: boolean;
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
        text?: string;
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
        from?: string | null;
        from_name?: string | null;
        chat_name?: string | null;
    };
} | {
    /** @constant */
    type: "message.sent";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        message_id: string;
        outbox_id: string | null;
        /** Format: uuid */
        chat_id: string;
        /** @enum {string} */
        chat_kind: "direct" | "group";
        contact_id: string | null;
        conversation_id: string | null;
        /** @constant */
        direction: "out";
        /** @enum {string} */
        state: "pending" | "sent" | "delivered" | "read" | "failed" | "unknown";
        text?: string;
        explanation?: string | null;
        to_name?: string | null;
    };
} | {
    /** @constant */
    type: "conversation.state";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        /** Format: uuid */
        conversation_id: string;
        /** Format: uuid */
        chat_id: string;
        /** Format: uuid */
        contact_id: string;
        /** @enum {string} */
        state: "CREATED" | "QUEUED" | "ACTIVE" | "WAITING_FOR_REPLY" | "WAITING_FOR_AGENT" | "HEARTBEAT_SCHEDULED" | "PAUSED" | "NEEDS_HUMAN_INTERVENTION" | "COMPLETED" | "ABANDONED" | "FAILED";
        from_state: string | null;
        reason: string | null;
        needs_you: boolean;
        objective?: string;
        explanation?: string | null;
        /** @enum {string} */
        result_status?: "pending" | "valid" | "missing" | "invalid" | "none";
        result?: {
            [key: string]: unknown;
        } | null;
        result_explanation?: string | null;
        /** @constant */
        result_from_contact?: true;
    };
} | {
    /** @constant */
    type: "approval.requested";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        /** Format: uuid */
        approval_id: string;
        kind: string;
        /** @enum {string} */
        state: "pending" | "approved" | "rejected" | "expired";
        reason: string;
        requested_by: string;
        conversation_id: string | null;
        chat_id: string | null;
        /** Format: date-time */
        expires_at: string;
        text?: string;
        recipient?: string | null;
        recipient_name?: string | null;
        answer?: string | null;
    };
} | {
    /** @constant */
    type: "approval.answered";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        /** Format: uuid */
        approval_id: string;
        kind: string;
        /** @enum {string} */
        state: "pending" | "approved" | "rejected" | "expired";
        reason: string;
        requested_by: string;
        conversation_id: string | null;
        chat_id: string | null;
        /** Format: date-time */
        expires_at: string;
        text?: string;
        recipient?: string | null;
        recipient_name?: string | null;
        answer?: string | null;
    };
} | {
    /** @constant */
    type: "link.state";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        /** @enum {string} */
        state: "disconnected" | "connecting" | "qr_ready" | "pairing_code_ready" | "link_expired" | "scanned" | "passkey_requested" | "passkey_sent" | "passkey_required" | "passkey_refused" | "passkey_failed" | "restarting" | "syncing" | "connected" | "time_locked" | "phone_offline" | "reconnecting" | "unreachable" | "logged_out" | "replaced" | "banned" | "client_outdated" | "device_mismatch" | "session_refused" | "credentials_unreadable" | "taken_over" | "closed_unexplained";
        from_state: ("disconnected" | "connecting" | "qr_ready" | "pairing_code_ready" | "link_expired" | "scanned" | "passkey_requested" | "passkey_sent" | "passkey_required" | "passkey_refused" | "passkey_failed" | "restarting" | "syncing" | "connected" | "time_locked" | "phone_offline" | "reconnecting" | "unreachable" | "logged_out" | "replaced" | "banned" | "client_outdated" | "device_mismatch" | "session_refused" | "credentials_unreadable" | "taken_over" | "closed_unexplained") | null;
        /** @enum {string} */
        status: "disconnected" | "connecting" | "qr_ready" | "connected";
        explanation: string;
    };
} | {
    /** @constant */
    type: "health";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        /** @enum {string} */
        what: "whatsapp" | "sending" | "message" | "hold" | "daemon";
        ok: boolean;
        needs_you: boolean;
        explanation: string;
    };
} | {
    /** @constant */
    type: "ping";
    account: string;
    /** Format: date-time */
    timestamp: string;
    data: {
        /** Format: uuid */
        webhook_id: string;
    };
};
