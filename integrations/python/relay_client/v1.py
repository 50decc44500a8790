# Generated from the API's schemas by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Optional, Protocol, TypedDict, Union
from urllib.parse import quote


class Call(Protocol):
    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Dict[str, Any]] = None,
        body: Any = None,
        key: Optional[str] = None,
        content_type: Optional[str] = None,
        file: bool = False,
    ) -> Any: ...


def _quoted(part: str) -> str:
    return quote(part, safe="")


class _Api:
    def __init__(self, call: Call) -> None:
        self._call = call


class SendToChatInputMedia(TypedDict):
    id: str
    kind: Literal["image", "voice", "audio", "video", "document"]
    caption: NotRequired[str]

class SendToChatInputReaction(TypedDict):
    to: str
    emoji: str

class SendToChatInputEdit(TypedDict):
    of: str

class SendToChatInputDelete(TypedDict):
    of: str

class SendToChatInputPoll(TypedDict):
    question: str
    options: List[str]
    select_up_to: NotRequired[int]

class SendToChatInputLocation(TypedDict):
    latitude: float
    longitude: float
    name: NotRequired[str]
    address: NotRequired[str]

class SendToChatInput(TypedDict):
    text: NotRequired[str]
    media: NotRequired[SendToChatInputMedia]
    reaction: NotRequired[SendToChatInputReaction]
    edit: NotRequired[SendToChatInputEdit]
    delete: NotRequired[SendToChatInputDelete]
    poll: NotRequired[SendToChatInputPoll]
    location: NotRequired[SendToChatInputLocation]
    reply_to: NotRequired[str]
    send_at: NotRequired[str]

class SendMessageInputMedia(TypedDict):
    id: str
    kind: Literal["image", "voice", "audio", "video", "document"]
    caption: NotRequired[str]

class SendMessageInputReaction(TypedDict):
    to: str
    emoji: str

class SendMessageInputEdit(TypedDict):
    of: str

class SendMessageInputDelete(TypedDict):
    of: str

class SendMessageInputPoll(TypedDict):
    question: str
    options: List[str]
    select_up_to: NotRequired[int]

class SendMessageInputLocation(TypedDict):
    latitude: float
    longitude: float
    name: NotRequired[str]
    address: NotRequired[str]

class SendMessageInput(TypedDict):
    to: str
    text: NotRequired[str]
    media: NotRequired[SendMessageInputMedia]
    reaction: NotRequired[SendMessageInputReaction]
    edit: NotRequired[SendMessageInputEdit]
    delete: NotRequired[SendMessageInputDelete]
    poll: NotRequired[SendMessageInputPoll]
    location: NotRequired[SendMessageInputLocation]
    reply_to: NotRequired[str]
    send_at: NotRequired[str]

class PutGrantInput(TypedDict):
    can_read: NotRequired[bool]
    can_reply: NotRequired[bool]
    reply_mode: NotRequired[Literal["draft", "auto"]]
    can_initiate: NotRequired[bool]
    name: NotRequired[str]

class CreateConversationInputTodosItem(TypedDict):
    text: str

class CreateConversationInput(TypedDict):
    contact: str
    objective: str
    todos: NotRequired[List[CreateConversationInputTodosItem]]
    facts: NotRequired[List[str]]
    follow_up_interval_ms: NotRequired[int]
    max_follow_ups: NotRequired[int]
    result_schema: NotRequired[Dict[str, Any]]

class SendInConversationInput(TypedDict):
    text: str
    reply_to: NotRequired[str]

class ApproveInput(TypedDict):
    shown: NotRequired[str]

class RejectInput(TypedDict):
    explanation: NotRequired[str]

class EditApprovalInput(TypedDict):
    text: str

class CreateScheduleInput(TypedDict):
    to: str
    text: str
    when: str
    zone: NotRequired[str]
    catch_up: NotRequired[Literal["skip", "once", "all"]]

class CreateWebhookInput(TypedDict):
    url: str
    name: NotRequired[str]
    directions: NotRequired[List[Literal["in", "out"]]]
    states: NotRequired[List[str]]
    contacts: NotRequired[List[str]]
    events: NotRequired[List[Literal["message.received", "message.sent", "conversation.state", "approval.requested", "approval.answered", "link.state", "health"]]]
    include_text: NotRequired[bool]

class ChangeWebhookInput(TypedDict):
    url: NotRequired[str]
    name: NotRequired[str]
    events: NotRequired[List[Literal["message.received", "message.sent", "conversation.state", "approval.requested", "approval.answered", "link.state", "health"]]]
    contacts: NotRequired[Union[List[str], None]]
    directions: NotRequired[Union[List[Literal["in", "out"]], None]]
    states: NotRequired[Union[List[str], None]]
    include_text: NotRequired[bool]
    enabled: NotRequired[bool]

class CreateTokenInput(TypedDict):
    name: str
    scopes: List[Literal["messages:read", "messages:send", "media:read", "media:write", "search:read", "digests:read", "conversations:read", "conversations:write", "schedules:read", "schedules:write", "permissions:read", "ledger:read", "link:write", "metrics:read", "events:read", "webhooks:write", "approvals:read"]]
    contacts: NotRequired[List[str]]
    confirm: NotRequired[bool]
    expires_at: NotRequired[str]
    accounts: NotRequired[List[str]]

class ProblemErrorsItem(TypedDict):
    field: str
    detail: str

class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: Literal["invalid_request", "invalid_phone", "not_on_whatsapp", "unsupported_media", "body_too_large", "route_not_found", "account_not_found", "account_of_another", "account_exists", "account_linked", "account_last", "account_elsewhere", "home_only", "owner_not_found", "owner_exists", "owner_has_accounts", "owner_of_home", "owner_is_operator", "scope_missing", "cursor_gone", "request_in_progress", "request_outcome_unknown", "not_found", "program_only", "program_needed", "token_not_found", "token_exists", "token_expired", "token_searches_nothing", "token_expires_past", "mcp_token_missing", "mcp_token_refused", "settings_unreadable", "settings_unwritable", "settings_name_taken", "tool_not_found", "declined", "cancelled", "tool_too_slow", "instance_not_found", "conversation_unknown", "conversation_ambiguous", "conversation_unseen", "message_unknown", "reply_to_unknown", "nothing_drafted", "result_not_asked", "nothing_known", "message_ambiguous", "illegal_transition", "approval_not_found", "approval_answered", "approval_expired", "approval_changed", "approval_fixed", "approval_ambiguous", "unauthorized", "forbidden", "token_needed", "sign_in_stale", "owner_token_wrong", "login_code_invalid", "tls_required", "passkey_required", "passkey_stale", "passkey_refused", "pairing_code_invalid", "remote_off", "remote_only", "remote_origin_invalid", "device_not_found", "devices_too_many", "bad_host", "bad_origin", "rate_limited", "denied", "usage", "command_failed", "internal", "permission_incomplete", "permission_exists", "permission_not_found", "contact_not_found", "contact_unknown", "chat_gone", "chat_unknown", "chat_silent", "chat_unclear", "forget_self", "contact_ambiguous", "contact_unnumbered", "group_unknown", "group_unclear", "not_observed", "not_announced", "unknown_zone", "unknown_day", "not_granted", "invalid_schedule", "schedule_not_found", "schedule_unseen", "schedule_ambiguous", "schedule_over", "no_own_chat", "key_reused", "conflict", "no_qr_code", "link_passkey_not_asked", "link_passkey_outdated", "link_passkey_invalid", "whatsapp_not_connected", "whatsapp_unreachable", "whatsapp_changed", "whatsapp_not_started", "session_not_kept", "chat_not_found", "not_delivered", "invalid_recipient", "daemon_not_running", "daemon_already_running", "daemon_not_ready", "daemon_stopping", "daemon_start_failed", "daemon_stop_failed", "mcp_connection_lost", "service_unknown", "service_absent", "service_variable", "service_user_needed", "service_user_unknown", "service_program_unreadable", "service_refused", "home_in_use", "home_unusable", "home_gone", "port_in_use", "config_invalid", "setting_from_environment", "setting_invalid", "disk_low", "disk_full", "node_too_old", "demo_not_prepared", "demo_daemon_ended", "database_unavailable", "database_full", "database_away", "database_refused", "database_unreachable", "database_missing", "database_role_refused", "database_role_denied", "database_start_failed", "database_unsupported", "schema_newer", "migration_changed", "account_in_use", "account_unserved", "worker_key_differs", "import_needs_start", "worker_needs_database", "budget_spent", "money_spent", "lease_lost", "vault_key_missing", "vault_key_wrong", "vault_key_unreadable", "vault_key_unwritable", "vault_key_inside", "vault_key_not_set", "vault_key_invalid", "vault_command_failed", "vault_command_output", "vault_keyring_away", "vault_passphrase_needed", "vault_passphrase_wrong", "vault_damaged", "archive_invalid", "archive_of_several", "account_phone_known", "archive_passphrase_needed", "archive_passphrase_wrong", "backup_passphrase_sealed", "restore_interrupted", "restore_unclear", "backup_missing", "backup_failed", "import_not_empty", "restore_needs_database", "agent_unavailable", "model_key_sealed", "brave_key_sealed", "embeddings_incomplete", "embeddings_key_sealed", "embeddings_missing", "embeddings_refused", "embeddings_away", "model_refused", "model_busy", "model_unreachable", "model_garbled", "model_slow", "model_endless", "model_not_saved", "model_incomplete", "model_key_refused", "model_not_found", "model_address_wrong", "model_offline", "model_no_answer", "model_rejected_test", "models_unlisted", "eval_running", "answer_broke_off", "notification_group_unknown", "notification_group_ambiguous", "notification_time", "notification_empty", "webhook_secret_sealed", "outside_folder", "export_invalid", "export_date_order", "export_chat", "export_me", "export_busy", "digest_unreadable", "digest_without_hours", "digest_unknown_day", "no_group_observed", "digest_group_unknown", "push_devices_full", "push_device_not_found", "notification_token_sealed", "webhook_not_found", "webhook_exists", "webhook_too_many", "webhook_url", "webhook_inside", "webhook_host_unknown", "delivery_not_found", "media_not_found", "media_not_stored", "media_range", "media_no_room", "media_wrong_kind", "media_too_large", "transcription_unset", "transcription_missing", "transcription_away", "transcription_failed", "transcription_key_sealed"]
    action: NotRequired[str]
    reason: NotRequired[str]
    errors: NotRequired[List[ProblemErrorsItem]]
    request_id: str

class AccountLink(TypedDict):
    state: Literal["disconnected", "connecting", "qr_ready", "pairing_code_ready", "link_expired", "scanned", "passkey_requested", "passkey_sent", "passkey_required", "passkey_refused", "passkey_failed", "restarting", "syncing", "connected", "time_locked", "phone_offline", "reconnecting", "unreachable", "logged_out", "replaced", "banned", "client_outdated", "device_mismatch", "session_refused", "credentials_unreadable", "taken_over", "closed_unexplained"]
    status: Literal["disconnected", "connecting", "qr_ready", "connected"]
    explanation: str
    phone_number: Union[str, None]

class AccountClientValue(TypedDict):
    name: str
    scopes: List[Literal["messages:read", "messages:send", "media:read", "media:write", "conversations:read", "conversations:write", "permissions:read", "permissions:write", "schedules:read", "schedules:write", "search:read", "digests:read", "ledger:read", "link:write", "metrics:read", "events:read", "webhooks:write", "approvals:read", "admin"]]
    contacts: Union[List[str], None]

class AccountModelValue(TypedDict):
    ready: bool

class AccountCountsValue(TypedDict):
    conversations_active: int
    approvals_pending: int
    messages_queued: int

class Account(TypedDict):
    account_id: str
    version: str
    link: AccountLink
    client: Union[AccountClientValue, None]
    model: Union[AccountModelValue, None]
    counts: Union[AccountCountsValue, None]

class Chat(TypedDict):
    chat_id: str
    kind: Literal["direct", "group", "own"]
    name: str
    contact_id: Union[str, None]
    phone_number: Union[str, None]
    grant: Union[Grant, None]
    last_message_at: Union[str, None]

class Chats(TypedDict):
    data: List[Chat]
    next_cursor: Union[str, None]

class MessageMediaValue(TypedDict):
    id: str
    kind: Literal["image", "voice", "audio", "video", "document", "sticker"]
    mimetype: Union[str, None]
    bytes: Union[int, None]
    sha256: Union[str, None]
    state: Literal["waiting", "stored", "unavailable", "refused", "removed"]
    reason: NotRequired[str]
    transcript: NotRequired[str]
    language: NotRequired[str]
    file_name: NotRequired[str]
    seconds: NotRequired[float]

class MessageContentValueValue(TypedDict):
    kind: Literal["location"]
    latitude: float
    longitude: float
    name: Union[str, None]
    address: Union[str, None]
    live: bool

class MessageContentValue2ContactsItem(TypedDict):
    name: str
    phone_numbers: List[str]

class MessageContentValue2(TypedDict):
    kind: Literal["contacts"]
    contacts: List[MessageContentValue2ContactsItem]

class MessageContentValue3(TypedDict):
    kind: Literal["poll"]
    question: str
    options: List[str]
    select_up_to: int

class MessageContentValue4(TypedDict):
    kind: Literal["reaction"]
    to: str
    emoji: str

class MessageContentValue5(TypedDict):
    kind: Literal["edit"]
    of: str

class MessageContentValue6(TypedDict):
    kind: Literal["delete"]
    of: str

class MessageContentValue7(TypedDict):
    kind: Literal["vote"]
    poll: str

class MessageContentValue8(TypedDict):
    kind: Literal["view_once"]

class Message(TypedDict):
    message_id: str
    chat_id: str
    direction: Literal["in", "out"]
    author: Union[Literal["contact", "owner", "phone", "conversation", "auto_reply", "assistant", "program", "schedule", "relay"], None]
    from_name: Union[str, None]
    text: str
    label: Union[str, None]
    sent_at: str
    state: Union[Literal["pending", "sent", "delivered", "read", "failed", "unknown"], None]
    explanation: Union[str, None]
    media: Union[MessageMediaValue, None]
    content: Union[Union[MessageContentValueValue, MessageContentValue2, MessageContentValue3, MessageContentValue4, MessageContentValue5, MessageContentValue6, MessageContentValue7, MessageContentValue8], None]

class Messages(TypedDict):
    data: List[Message]
    next_cursor: Union[str, None]

class SentMessage(TypedDict):
    state: Literal["pending", "sent", "delivered", "read", "failed", "unknown", "scheduled", "waiting_for_approval"]
    chat_id: Union[str, None]
    message_id: Union[str, None]
    outbox_id: Union[str, None]
    schedule_id: Union[str, None]
    approval_id: Union[str, None]
    reason: Union[str, None]
    explanation: Union[str, None]

class UploadedMedia(TypedDict):
    id: str
    bytes: int
    sha256: str

class Contact(TypedDict):
    contact_id: str
    kind: Literal["person", "group"]
    name: Union[str, None]
    phone_number: Union[str, None]
    grant: Union[Grant, None]
    last_message_at: Union[str, None]

class Contacts(TypedDict):
    data: List[Contact]
    next_cursor: Union[str, None]

class Grant(TypedDict):
    can_read: bool
    can_reply: bool
    reply_mode: Literal["draft", "auto"]
    can_initiate: bool

class ConversationContact(TypedDict):
    contact_id: str
    name: Union[str, None]

class ConversationTodosValueItem(TypedDict):
    text: str
    status: Literal["pending", "in_progress", "completed", "skipped"]

class Conversation(TypedDict):
    conversation_id: str
    contact: ConversationContact
    chat_id: str
    state: Literal["CREATED", "QUEUED", "ACTIVE", "WAITING_FOR_REPLY", "WAITING_FOR_AGENT", "HEARTBEAT_SCHEDULED", "PAUSED", "NEEDS_HUMAN_INTERVENTION", "COMPLETED", "ABANDONED", "FAILED"]
    explanation: str
    objective: Union[str, None]
    todos: Union[List[ConversationTodosValueItem], None]
    facts: Union[List[str], None]
    turn: Literal["you", "agent", "them", "parked", "ended"]
    approval_id: Union[str, None]
    follow_up_count: int
    max_follow_ups: int
    next_follow_up_at: Union[str, None]
    result_status: Union[Literal["pending", "valid", "missing", "invalid", "none"], None]
    created_by: str
    created_at: str
    updated_at: str

class Conversations(TypedDict):
    data: List[Conversation]
    next_cursor: Union[str, None]

class CreatedConversation(TypedDict):
    conversation_id: Union[str, None]
    state: Union[Literal["CREATED", "QUEUED", "ACTIVE", "WAITING_FOR_REPLY", "WAITING_FOR_AGENT", "HEARTBEAT_SCHEDULED", "PAUSED", "NEEDS_HUMAN_INTERVENTION", "COMPLETED", "ABANDONED", "FAILED"], Literal["waiting_for_approval"]]
    approval_id: Union[str, None]
    reason: Union[str, None]
    explanation: Union[str, None]

class ConversationResult(TypedDict):
    conversation_id: str
    status: Literal["pending", "valid", "missing", "invalid", "none"]
    value: Union[Dict[str, Any], None]
    explanation: Union[str, None]
    from_contact: Literal[True]

class ConversationMessageMediaValue(TypedDict):
    id: str
    kind: Literal["image", "voice", "audio", "video", "document", "sticker"]
    mimetype: Union[str, None]
    bytes: Union[int, None]
    sha256: Union[str, None]
    state: Literal["waiting", "stored", "unavailable", "refused", "removed"]
    reason: NotRequired[str]
    transcript: NotRequired[str]
    language: NotRequired[str]
    file_name: NotRequired[str]
    seconds: NotRequired[float]

class ConversationMessageContentValueValue(TypedDict):
    kind: Literal["location"]
    latitude: float
    longitude: float
    name: Union[str, None]
    address: Union[str, None]
    live: bool

class ConversationMessageContentValue2ContactsItem(TypedDict):
    name: str
    phone_numbers: List[str]

class ConversationMessageContentValue2(TypedDict):
    kind: Literal["contacts"]
    contacts: List[ConversationMessageContentValue2ContactsItem]

class ConversationMessageContentValue3(TypedDict):
    kind: Literal["poll"]
    question: str
    options: List[str]
    select_up_to: int

class ConversationMessageContentValue4(TypedDict):
    kind: Literal["reaction"]
    to: str
    emoji: str

class ConversationMessageContentValue5(TypedDict):
    kind: Literal["edit"]
    of: str

class ConversationMessageContentValue6(TypedDict):
    kind: Literal["delete"]
    of: str

class ConversationMessageContentValue7(TypedDict):
    kind: Literal["vote"]
    poll: str

class ConversationMessageContentValue8(TypedDict):
    kind: Literal["view_once"]

class ConversationMessage(TypedDict):
    conversation_id: str
    message_id: Union[str, None]
    author: Literal["agent", "contact", "owner", "system"]
    text: str
    sent_at: str
    state: Union[Literal["pending", "sent", "delivered", "read", "failed", "unknown"], None]
    media: Union[ConversationMessageMediaValue, None]
    content: Union[Union[ConversationMessageContentValueValue, ConversationMessageContentValue2, ConversationMessageContentValue3, ConversationMessageContentValue4, ConversationMessageContentValue5, ConversationMessageContentValue6, ConversationMessageContentValue7, ConversationMessageContentValue8], None]

class ConversationMessages(TypedDict):
    data: List[ConversationMessage]
    next_cursor: Union[str, None]

class TransitionsDataItem(TypedDict):
    conversation_id: str
    from_state: Literal["CREATED", "QUEUED", "ACTIVE", "WAITING_FOR_REPLY", "WAITING_FOR_AGENT", "HEARTBEAT_SCHEDULED", "PAUSED", "NEEDS_HUMAN_INTERVENTION", "COMPLETED", "ABANDONED", "FAILED"]
    to_state: Literal["CREATED", "QUEUED", "ACTIVE", "WAITING_FOR_REPLY", "WAITING_FOR_AGENT", "HEARTBEAT_SCHEDULED", "PAUSED", "NEEDS_HUMAN_INTERVENTION", "COMPLETED", "ABANDONED", "FAILED"]
    reason: str
    caused_by: Union[str, None]
    occurred_at: str

class Transitions(TypedDict):
    data: List[TransitionsDataItem]
    next_cursor: Union[str, None]

class ApprovalMedia(TypedDict):
    id: str
    kind: Literal["image", "voice", "audio", "video", "document"]
    mimetype: str
    bytes: int
    sha256: str
    file_name: Union[str, None]

class ApprovalTarget(TypedDict):
    message_id: str
    from_me: bool
    text: str

class ApprovalRisksItem(TypedDict):
    code: Literal["time_locked", "not_registered", "first_contact", "no_message_from_them", "registration_unknown", "many_cold_messages", "new_link"]
    explanation: str

class Approval(TypedDict):
    approval_id: str
    kind: Literal["send_message", "create_conversation", "schedule_message", "cancel_schedule", "manage_grant"]
    state: Literal["pending", "approved", "rejected", "expired"]
    chat_id: Union[str, None]
    conversation_id: Union[str, None]
    recipient: Union[str, None]
    recipient_name: Union[str, None]
    text: str
    content: NotRequired[str]
    media: NotRequired[ApprovalMedia]
    target: NotRequired[ApprovalTarget]
    hidden_characters: List[str]
    shown: str
    reason: str
    explanation: str
    risks: List[ApprovalRisksItem]
    requested_by: str
    answer: Union[str, None]
    replaced_by: Union[str, None]
    created_at: str
    expires_at: str
    decided_at: Union[str, None]

class Approvals(TypedDict):
    data: List[Approval]
    next_cursor: Union[str, None]

class Schedule(TypedDict):
    schedule_id: str
    chat_id: Union[str, None]
    recipient: Union[str, None]
    recipient_name: Union[str, None]
    text: Union[str, None]
    state: Literal["active", "done", "cancelled"]
    explanation: str
    next_at: Union[str, None]
    last_outcome: Union[Literal["queued", "waiting", "refused", "skipped"], None]
    created_by: str
    created_at: str

class Schedules(TypedDict):
    data: List[Schedule]
    next_cursor: Union[str, None]

class CreatedSchedule(TypedDict):
    schedule_id: Union[str, None]
    state: Literal["active", "done", "cancelled", "waiting_for_approval"]
    next_at: Union[str, None]
    approval_id: Union[str, None]
    reason: Union[str, None]
    explanation: Union[str, None]

class SearchHitsDataItemMediaValue(TypedDict):
    id: str
    kind: Literal["image", "voice", "audio", "video", "document", "sticker"]
    mimetype: Union[str, None]
    bytes: Union[int, None]
    sha256: Union[str, None]
    state: Literal["waiting", "stored", "unavailable", "refused", "removed"]
    reason: NotRequired[str]
    transcript: NotRequired[str]
    language: NotRequired[str]
    file_name: NotRequired[str]
    seconds: NotRequired[float]

class SearchHitsDataItemContentValueValue(TypedDict):
    kind: Literal["location"]
    latitude: float
    longitude: float
    name: Union[str, None]
    address: Union[str, None]
    live: bool

class SearchHitsDataItemContentValue2ContactsItem(TypedDict):
    name: str
    phone_numbers: List[str]

class SearchHitsDataItemContentValue2(TypedDict):
    kind: Literal["contacts"]
    contacts: List[SearchHitsDataItemContentValue2ContactsItem]

class SearchHitsDataItemContentValue3(TypedDict):
    kind: Literal["poll"]
    question: str
    options: List[str]
    select_up_to: int

class SearchHitsDataItemContentValue4(TypedDict):
    kind: Literal["reaction"]
    to: str
    emoji: str

class SearchHitsDataItemContentValue5(TypedDict):
    kind: Literal["edit"]
    of: str

class SearchHitsDataItemContentValue6(TypedDict):
    kind: Literal["delete"]
    of: str

class SearchHitsDataItemContentValue7(TypedDict):
    kind: Literal["vote"]
    poll: str

class SearchHitsDataItemContentValue8(TypedDict):
    kind: Literal["view_once"]

class SearchHitsDataItem(TypedDict):
    chat_id: str
    chat_name: str
    message_id: str
    source: Literal["message", "digest", "fact"]
    direction: Literal["in", "out"]
    from_name: str
    text: str
    sent_at: str
    media: Union[SearchHitsDataItemMediaValue, None]
    content: Union[Union[SearchHitsDataItemContentValueValue, SearchHitsDataItemContentValue2, SearchHitsDataItemContentValue3, SearchHitsDataItemContentValue4, SearchHitsDataItemContentValue5, SearchHitsDataItemContentValue6, SearchHitsDataItemContentValue7, SearchHitsDataItemContentValue8], None]

class SearchHits(TypedDict):
    data: List[SearchHitsDataItem]
    next_cursor: Union[str, None]
    sure: bool

class Digest(TypedDict):
    chat_id: str
    chat_name: str
    day: str
    zone: str
    complete: bool
    text: str

class Digests(TypedDict):
    data: List[Digest]
    next_cursor: Union[str, None]

class WebhookContactsValueItem(TypedDict):
    contact_id: str
    kind: Literal["person", "group"]
    name: Union[str, None]

class Webhook(TypedDict):
    webhook_id: str
    name: str
    url: str
    events: List[Literal["message.received", "message.sent", "conversation.state", "approval.requested", "approval.answered", "link.state", "health"]]
    directions: Union[List[Literal["in", "out"]], None]
    states: Union[List[str], None]
    include_text: bool
    enabled: bool
    created_at: str
    rotated_at: Union[str, None]
    last_delivered_at: Union[str, None]
    failing_since: Union[str, None]
    pending: int
    dead: int
    contacts: Union[List[WebhookContactsValueItem], None]
    explanation: Union[str, None]

class Webhooks(TypedDict):
    data: List[Webhook]
    next_cursor: Union[str, None]

class WebhookSecretContactsValueItem(TypedDict):
    contact_id: str
    kind: Literal["person", "group"]
    name: Union[str, None]

class WebhookSecret(TypedDict):
    webhook_id: str
    name: str
    url: str
    events: List[Literal["message.received", "message.sent", "conversation.state", "approval.requested", "approval.answered", "link.state", "health"]]
    directions: Union[List[Literal["in", "out"]], None]
    states: Union[List[str], None]
    include_text: bool
    enabled: bool
    created_at: str
    rotated_at: Union[str, None]
    last_delivered_at: Union[str, None]
    failing_since: Union[str, None]
    pending: int
    dead: int
    contacts: Union[List[WebhookSecretContactsValueItem], None]
    explanation: Union[str, None]
    secret: Union[str, None]

class Delivery(TypedDict):
    delivery_id: str
    type: Literal["ping", "message.received", "message.sent", "conversation.state", "approval.requested", "approval.answered", "link.state", "health"]
    state: Literal["pending", "delivered", "dead", "dropped"]
    attempts: int
    next_at: Union[str, None]
    last_status: Union[int, None]
    settled_at: Union[str, None]
    occurred_at: str
    explanation: Union[str, None]

class Deliveries(TypedDict):
    data: List[Delivery]
    next_cursor: Union[str, None]

class EventMessageReceivedDataMedia(TypedDict):
    id: str
    kind: Literal["image", "voice", "audio", "video", "document", "sticker"]
    mimetype: Union[str, None]
    bytes: Union[int, None]
    sha256: Union[str, None]
    state: Literal["waiting", "stored", "unavailable", "refused", "removed"]
    reason: NotRequired[str]
    transcript: NotRequired[str]
    language: NotRequired[str]
    file_name: NotRequired[str]
    seconds: NotRequired[float]

class EventMessageReceivedDataContentValue(TypedDict):
    kind: Literal["location"]
    latitude: float
    longitude: float
    name: Union[str, None]
    address: Union[str, None]
    live: bool

class EventMessageReceivedDataContent2ContactsItem(TypedDict):
    name: str
    phone_numbers: List[str]

class EventMessageReceivedDataContent2(TypedDict):
    kind: Literal["contacts"]
    contacts: List[EventMessageReceivedDataContent2ContactsItem]

class EventMessageReceivedDataContent3(TypedDict):
    kind: Literal["poll"]
    question: str
    options: List[str]
    select_up_to: int

class EventMessageReceivedDataContent4(TypedDict):
    kind: Literal["reaction"]
    to: str
    emoji: str

class EventMessageReceivedDataContent5(TypedDict):
    kind: Literal["edit"]
    of: str

class EventMessageReceivedDataContent6(TypedDict):
    kind: Literal["delete"]
    of: str

class EventMessageReceivedDataContent7(TypedDict):
    kind: Literal["vote"]
    poll: str

class EventMessageReceivedDataContent8(TypedDict):
    kind: Literal["view_once"]

EventMessageReceivedData = TypedDict(
    "EventMessageReceivedData",
    {
        "message_id": "str",
        "chat_id": "str",
        "chat_kind": "Literal[\"direct\", \"group\"]",
        "contact_id": "Union[str, None]",
        "direction": "Literal[\"in\"]",
        "kind": "str",
        "sent_at": "str",
        "late": "bool",
        "media": "NotRequired[EventMessageReceivedDataMedia]",
        "text": "NotRequired[str]",
        "content": "NotRequired[Union[EventMessageReceivedDataContentValue, EventMessageReceivedDataContent2, EventMessageReceivedDataContent3, EventMessageReceivedDataContent4, EventMessageReceivedDataContent5, EventMessageReceivedDataContent6, EventMessageReceivedDataContent7, EventMessageReceivedDataContent8]]",
        "from": "NotRequired[Union[str, None]]",
        "from_name": "NotRequired[Union[str, None]]",
        "chat_name": "NotRequired[Union[str, None]]",
    },
)

class EventMessageReceived(TypedDict):
    event_id: str
    account: str
    type: Literal["message.received"]
    occurred_at: str
    data: EventMessageReceivedData

class EventMessageSentData(TypedDict):
    message_id: str
    outbox_id: Union[str, None]
    chat_id: str
    chat_kind: Literal["direct", "group"]
    contact_id: Union[str, None]
    conversation_id: Union[str, None]
    direction: Literal["out"]
    state: Literal["pending", "sent", "delivered", "read", "failed", "unknown"]
    text: NotRequired[str]
    explanation: NotRequired[Union[str, None]]
    to_name: NotRequired[Union[str, None]]

class EventMessageSent(TypedDict):
    event_id: str
    account: str
    type: Literal["message.sent"]
    occurred_at: str
    data: EventMessageSentData

class EventConversationStateData(TypedDict):
    conversation_id: str
    chat_id: str
    contact_id: str
    state: Literal["CREATED", "QUEUED", "ACTIVE", "WAITING_FOR_REPLY", "WAITING_FOR_AGENT", "HEARTBEAT_SCHEDULED", "PAUSED", "NEEDS_HUMAN_INTERVENTION", "COMPLETED", "ABANDONED", "FAILED"]
    from_state: Union[str, None]
    reason: Union[str, None]
    needs_you: bool
    objective: NotRequired[str]
    explanation: NotRequired[Union[str, None]]
    result_status: NotRequired[Literal["pending", "valid", "missing", "invalid", "none"]]
    result: NotRequired[Union[Dict[str, Any], None]]
    result_explanation: NotRequired[Union[str, None]]
    result_from_contact: NotRequired[Literal[True]]

class EventConversationState(TypedDict):
    event_id: str
    account: str
    type: Literal["conversation.state"]
    occurred_at: str
    data: EventConversationStateData

class EventApprovalRequestedData(TypedDict):
    approval_id: str
    kind: str
    state: Literal["pending", "approved", "rejected", "expired"]
    reason: str
    requested_by: str
    conversation_id: Union[str, None]
    chat_id: Union[str, None]
    expires_at: str
    text: NotRequired[str]
    recipient: NotRequired[Union[str, None]]
    recipient_name: NotRequired[Union[str, None]]
    answer: NotRequired[Union[str, None]]

class EventApprovalRequested(TypedDict):
    event_id: str
    account: str
    type: Literal["approval.requested"]
    occurred_at: str
    data: EventApprovalRequestedData

class EventApprovalAnsweredData(TypedDict):
    approval_id: str
    kind: str
    state: Literal["pending", "approved", "rejected", "expired"]
    reason: str
    requested_by: str
    conversation_id: Union[str, None]
    chat_id: Union[str, None]
    expires_at: str
    text: NotRequired[str]
    recipient: NotRequired[Union[str, None]]
    recipient_name: NotRequired[Union[str, None]]
    answer: NotRequired[Union[str, None]]

class EventApprovalAnswered(TypedDict):
    event_id: str
    account: str
    type: Literal["approval.answered"]
    occurred_at: str
    data: EventApprovalAnsweredData

class EventLinkStateData(TypedDict):
    state: Literal["disconnected", "connecting", "qr_ready", "pairing_code_ready", "link_expired", "scanned", "passkey_requested", "passkey_sent", "passkey_required", "passkey_refused", "passkey_failed", "restarting", "syncing", "connected", "time_locked", "phone_offline", "reconnecting", "unreachable", "logged_out", "replaced", "banned", "client_outdated", "device_mismatch", "session_refused", "credentials_unreadable", "taken_over", "closed_unexplained"]
    from_state: Union[Literal["disconnected", "connecting", "qr_ready", "pairing_code_ready", "link_expired", "scanned", "passkey_requested", "passkey_sent", "passkey_required", "passkey_refused", "passkey_failed", "restarting", "syncing", "connected", "time_locked", "phone_offline", "reconnecting", "unreachable", "logged_out", "replaced", "banned", "client_outdated", "device_mismatch", "session_refused", "credentials_unreadable", "taken_over", "closed_unexplained"], None]
    status: Literal["disconnected", "connecting", "qr_ready", "connected"]
    explanation: str

class EventLinkState(TypedDict):
    event_id: str
    account: str
    type: Literal["link.state"]
    occurred_at: str
    data: EventLinkStateData

class EventHealthData(TypedDict):
    what: Literal["whatsapp", "sending", "message", "hold", "daemon"]
    ok: bool
    needs_you: bool
    explanation: str

class EventHealth(TypedDict):
    event_id: str
    account: str
    type: Literal["health"]
    occurred_at: str
    data: EventHealthData

Event = Union[EventMessageReceived, EventMessageSent, EventConversationState, EventApprovalRequested, EventApprovalAnswered, EventLinkState, EventHealth]

class Events(TypedDict):
    data: List[Event]
    next_cursor: Union[str, None]

class TokenContactsValueItem(TypedDict):
    contact_id: str
    name: Union[str, None]

class Token(TypedDict):
    token_id: str
    name: str
    scopes: List[Literal["messages:read", "messages:send", "media:read", "media:write", "conversations:read", "conversations:write", "permissions:read", "permissions:write", "schedules:read", "schedules:write", "search:read", "digests:read", "ledger:read", "link:write", "metrics:read", "events:read", "webhooks:write", "approvals:read", "admin"]]
    confirm: bool
    has_read: bool
    created_at: str
    rotated_at: Union[str, None]
    suspended_at: Union[str, None]
    last_used_at: Union[str, None]
    expires_at: Union[str, None]
    accounts: List[str]
    contacts: Union[List[TokenContactsValueItem], None]

class Tokens(TypedDict):
    data: List[Token]
    next_cursor: Union[str, None]

class TokenSecretContactsValueItem(TypedDict):
    contact_id: str
    name: Union[str, None]

class TokenSecret(TypedDict):
    token_id: str
    name: str
    scopes: List[Literal["messages:read", "messages:send", "media:read", "media:write", "conversations:read", "conversations:write", "permissions:read", "permissions:write", "schedules:read", "schedules:write", "search:read", "digests:read", "ledger:read", "link:write", "metrics:read", "events:read", "webhooks:write", "approvals:read", "admin"]]
    confirm: bool
    has_read: bool
    created_at: str
    rotated_at: Union[str, None]
    suspended_at: Union[str, None]
    last_used_at: Union[str, None]
    expires_at: Union[str, None]
    accounts: List[str]
    contacts: Union[List[TokenSecretContactsValueItem], None]
    secret: Union[str, None]

class LedgerDataItemSubject(TypedDict):
    kind: str
    id: str

class LedgerDataItem(TypedDict):
    seq: int
    occurred_at: str
    actor: str
    action: str
    subject: LedgerDataItemSubject
    outcome: str
    reason: str
    explanation: str

class Ledger(TypedDict):
    data: List[LedgerDataItem]
    next_cursor: Union[str, None]

class AccountApi(_Api):
    def get(
        self,
    ) -> Account:
        """Get the state of the account: the link to WhatsApp, the model and counts."""
        return self._call(
            "GET",
            "",
        )


class ConversationsApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        state: Optional[Literal["CREATED", "QUEUED", "ACTIVE", "WAITING_FOR_REPLY", "WAITING_FOR_AGENT", "HEARTBEAT_SCHEDULED", "PAUSED", "NEEDS_HUMAN_INTERVENTION", "COMPLETED", "ABANDONED", "FAILED"]] = None,
    ) -> Conversations:
        """List conversations, newest first."""
        return self._call(
            "GET",
            "/conversations",
            query={"cursor": cursor, "limit": limit, "state": state},
        )

    def create(
        self,
        body: CreateConversationInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> CreatedConversation:
        """Start a conversation, which an agent holds until its objective is reached."""
        return self._call(
            "POST",
            "/conversations",
            body=body,
            key=idempotency_key,
        )

    def get(
        self,
        conversation_id: str,
    ) -> Conversation:
        """Get a conversation."""
        return self._call(
            "GET",
            f"/conversations/{_quoted(conversation_id)}",
        )

    def result(
        self,
        conversation_id: str,
    ) -> ConversationResult:
        """Get the result of a conversation that was asked for one."""
        return self._call(
            "GET",
            f"/conversations/{_quoted(conversation_id)}/result",
        )

    def messages(
        self,
        conversation_id: str,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> ConversationMessages:
        """List what was said in a conversation, oldest first."""
        return self._call(
            "GET",
            f"/conversations/{_quoted(conversation_id)}/messages",
            query={"cursor": cursor, "limit": limit},
        )

    def send(
        self,
        conversation_id: str,
        body: SendInConversationInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> ConversationMessage:
        """Send a message to the contact yourself."""
        return self._call(
            "POST",
            f"/conversations/{_quoted(conversation_id)}/messages",
            body=body,
            key=idempotency_key,
        )

    def transitions(
        self,
        conversation_id: str,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Transitions:
        """List the changes of state of a conversation, oldest first."""
        return self._call(
            "GET",
            f"/conversations/{_quoted(conversation_id)}/transitions",
            query={"cursor": cursor, "limit": limit},
        )

    def pause(
        self,
        conversation_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Conversation:
        """Pause a conversation; nothing is sent until it is resumed."""
        return self._call(
            "POST",
            f"/conversations/{_quoted(conversation_id)}/pause",
            key=idempotency_key,
        )

    def resume(
        self,
        conversation_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Conversation:
        """Resume a conversation that is paused or waits for you."""
        return self._call(
            "POST",
            f"/conversations/{_quoted(conversation_id)}/resume",
            key=idempotency_key,
        )

    def cancel(
        self,
        conversation_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Conversation:
        """Cancel a conversation; no goodbye message is sent."""
        return self._call(
            "POST",
            f"/conversations/{_quoted(conversation_id)}/cancel",
            key=idempotency_key,
        )


class ChatsApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Chats:
        """List chats, newest message first."""
        return self._call(
            "GET",
            "/chats",
            query={"cursor": cursor, "limit": limit},
        )

    def get(
        self,
        chat_id: str,
    ) -> Chat:
        """Get a chat."""
        return self._call(
            "GET",
            f"/chats/{_quoted(chat_id)}",
        )

    def messages(
        self,
        chat_id: str,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Messages:
        """List the messages of a chat, newest first."""
        return self._call(
            "GET",
            f"/chats/{_quoted(chat_id)}/messages",
            query={"cursor": cursor, "limit": limit},
        )

    def send(
        self,
        chat_id: str,
        body: SendToChatInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> SentMessage:
        """Send a message to a chat."""
        return self._call(
            "POST",
            f"/chats/{_quoted(chat_id)}/messages",
            body=body,
            key=idempotency_key,
        )


class MessagesApi(_Api):
    def send(
        self,
        body: SendMessageInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> SentMessage:
        """Send a message to a phone number or a contact."""
        return self._call(
            "POST",
            "/messages",
            body=body,
            key=idempotency_key,
        )


class SearchApi(_Api):
    def query(
        self,
        *,
        q: Optional[str] = None,
        chat_id: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> SearchHits:
        """Search messages, best match first."""
        return self._call(
            "GET",
            "/search",
            query={"q": q, "chat_id": chat_id, "from": from_, "to": to, "limit": limit},
        )


class DigestsApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        group: Optional[str] = None,
        day: Optional[str] = None,
    ) -> Digests:
        """List the digests of observed groups for one day."""
        return self._call(
            "GET",
            "/digests",
            query={"cursor": cursor, "limit": limit, "group": group, "day": day},
        )


class MediaApi(_Api):
    def get(
        self,
        media_id: str,
    ) -> bytes:
        """Get the file of a message, or a part of it."""
        return self._call(
            "GET",
            f"/media/{_quoted(media_id)}",
            file=True,
        )

    def upload(
        self,
        body: bytes,
        content_type: str,
        *,
        file_name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> UploadedMedia:
        """Store a file to send: the body is the file, Content-Type its type."""
        return self._call(
            "POST",
            "/media",
            body=body,
            content_type=content_type,
            query={"file_name": file_name},
            key=idempotency_key,
        )


class ContactsApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        q: Optional[str] = None,
    ) -> Contacts:
        """List people and groups with their grants."""
        return self._call(
            "GET",
            "/contacts",
            query={"cursor": cursor, "limit": limit, "q": q},
        )

    def get(
        self,
        contact_id: str,
    ) -> Contact:
        """Get a person or group."""
        return self._call(
            "GET",
            f"/contacts/{_quoted(contact_id)}",
        )


class GrantsApi(_Api):
    def get(
        self,
        contact_id: str,
    ) -> Grant:
        """Get what a contact is granted."""
        return self._call(
            "GET",
            f"/contacts/{_quoted(contact_id)}/grant",
        )

    def put(
        self,
        contact_id: str,
        body: PutGrantInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Grant:
        """Set what a contact is granted."""
        return self._call(
            "PUT",
            f"/contacts/{_quoted(contact_id)}/grant",
            body=body,
            key=idempotency_key,
        )

    def delete(
        self,
        contact_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Contact:
        """Delete the grant of a contact."""
        return self._call(
            "DELETE",
            f"/contacts/{_quoted(contact_id)}/grant",
            key=idempotency_key,
        )


class ApprovalsApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        state: Optional[Literal["pending", "approved", "rejected", "expired"]] = None,
    ) -> Approvals:
        """List pending approvals, oldest first, or answered ones, newest first."""
        return self._call(
            "GET",
            "/approvals",
            query={"cursor": cursor, "limit": limit, "state": state},
        )

    def get(
        self,
        approval_id: str,
    ) -> Approval:
        """Get an approval."""
        return self._call(
            "GET",
            f"/approvals/{_quoted(approval_id)}",
        )

    def approve(
        self,
        approval_id: str,
        body: ApproveInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Approval:
        """Approve: carry out exactly what was shown, once."""
        return self._call(
            "POST",
            f"/approvals/{_quoted(approval_id)}/approve",
            body=body,
            key=idempotency_key,
        )

    def reject(
        self,
        approval_id: str,
        body: RejectInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Approval:
        """Decline an approval."""
        return self._call(
            "POST",
            f"/approvals/{_quoted(approval_id)}/reject",
            body=body,
            key=idempotency_key,
        )

    def edit(
        self,
        approval_id: str,
        body: EditApprovalInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Approval:
        """Change the text; the changed text needs a new approval."""
        return self._call(
            "POST",
            f"/approvals/{_quoted(approval_id)}/edit",
            body=body,
            key=idempotency_key,
        )


class SchedulesApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        state: Optional[Literal["active", "done", "cancelled", "all"]] = None,
    ) -> Schedules:
        """List scheduled messages, next run first."""
        return self._call(
            "GET",
            "/schedules",
            query={"cursor": cursor, "limit": limit, "state": state},
        )

    def create(
        self,
        body: CreateScheduleInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> CreatedSchedule:
        """Schedule a message, once or repeatedly."""
        return self._call(
            "POST",
            "/schedules",
            body=body,
            key=idempotency_key,
        )

    def cancel(
        self,
        schedule_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Schedule:
        """Cancel a schedule, and what is queued of it."""
        return self._call(
            "DELETE",
            f"/schedules/{_quoted(schedule_id)}",
            key=idempotency_key,
        )


class EventsApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        include_text: Optional[str] = None,
    ) -> Events:
        """List events, oldest first, or follow them as Server-Sent Events."""
        return self._call(
            "GET",
            "/events",
            query={"cursor": cursor, "limit": limit, "include_text": include_text},
        )


class WebhooksApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Webhooks:
        """List webhooks."""
        return self._call(
            "GET",
            "/webhooks",
            query={"cursor": cursor, "limit": limit},
        )

    def create(
        self,
        body: CreateWebhookInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> WebhookSecret:
        """Add a webhook; its secret is shown once."""
        return self._call(
            "POST",
            "/webhooks",
            body=body,
            key=idempotency_key,
        )

    def get(
        self,
        webhook_id: str,
    ) -> Webhook:
        """Get a webhook."""
        return self._call(
            "GET",
            f"/webhooks/{_quoted(webhook_id)}",
        )

    def change(
        self,
        webhook_id: str,
        body: ChangeWebhookInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Webhook:
        """Change a webhook, or turn it on or off; omitted fields stay unchanged."""
        return self._call(
            "PATCH",
            f"/webhooks/{_quoted(webhook_id)}",
            body=body,
            key=idempotency_key,
        )

    def delete(
        self,
        webhook_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Webhook:
        """Delete a webhook; its queued events are discarded."""
        return self._call(
            "DELETE",
            f"/webhooks/{_quoted(webhook_id)}",
            key=idempotency_key,
        )

    def rotate(
        self,
        webhook_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> WebhookSecret:
        """Create a new secret, shown once; the former one stays valid for one day."""
        return self._call(
            "POST",
            f"/webhooks/{_quoted(webhook_id)}/rotate",
            key=idempotency_key,
        )

    def test(
        self,
        webhook_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Delivery:
        """Send a test event now and return the result."""
        return self._call(
            "POST",
            f"/webhooks/{_quoted(webhook_id)}/test",
            key=idempotency_key,
        )

    def deliveries(
        self,
        webhook_id: str,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Deliveries:
        """List the deliveries of a webhook, newest first."""
        return self._call(
            "GET",
            f"/webhooks/{_quoted(webhook_id)}/deliveries",
            query={"cursor": cursor, "limit": limit},
        )


class TokensApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Tokens:
        """List the tokens of clients."""
        return self._call(
            "GET",
            "/tokens",
            query={"cursor": cursor, "limit": limit},
        )

    def create(
        self,
        body: CreateTokenInput,
        *,
        idempotency_key: Optional[str] = None,
    ) -> TokenSecret:
        """Create a token for a client; its secret is shown once."""
        return self._call(
            "POST",
            "/tokens",
            body=body,
            key=idempotency_key,
        )

    def revoke(
        self,
        token_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Token:
        """Revoke a token; its queued messages are not sent and its webhooks end."""
        return self._call(
            "DELETE",
            f"/tokens/{_quoted(token_id)}",
            key=idempotency_key,
        )


class LedgerApi(_Api):
    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        actor: Optional[str] = None,
        action: Optional[str] = None,
        outcome: Optional[str] = None,
        subject: Optional[str] = None,
    ) -> Ledger:
        """List decisions, newest first: who decided what, and why."""
        return self._call(
            "GET",
            "/ledger",
            query={"cursor": cursor, "limit": limit, "actor": actor, "action": action, "outcome": outcome, "subject": subject},
        )


class Nouns:
    """The nouns of version 1. Each method is one operation of the API."""

    def __init__(self, call: Call) -> None:
        self.account = AccountApi(call)
        self.conversations = ConversationsApi(call)
        self.chats = ChatsApi(call)
        self.messages = MessagesApi(call)
        self.search = SearchApi(call)
        self.digests = DigestsApi(call)
        self.media = MediaApi(call)
        self.contacts = ContactsApi(call)
        self.grants = GrantsApi(call)
        self.approvals = ApprovalsApi(call)
        self.schedules = SchedulesApi(call)
        self.events = EventsApi(call)
        self.webhooks = WebhooksApi(call)
        self.tokens = TokensApi(call)
        self.ledger = LedgerApi(call)
