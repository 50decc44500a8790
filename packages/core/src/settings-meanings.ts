// What each setting means, in one line for a person: in `relay config list` and in the schema that editors read. A new
// setting does not pass its test until it has one. Pure.
export const MEANINGS: Readonly<Record<string, string>> = {
  daemon_port: 'Where the daemon listens on 127.0.0.1; 0 takes a free port.',
  model_provider:
    'Whose models your agents use: anthropic, openai, google, openai-compatible, vllm or ollama.',
  model_name: 'Which model; anthropic, openai and google have a usual one.',
  model_base_url: "Where a server that speaks OpenAI's protocol is.",
  model_api_key: 'The key of the models; `relay init --api-key` writes it sealed.',
  brave_api_key: "The key of Brave's search API; without one nobody searches the web.",
  prepared_statements:
    'Set to false where DATABASE_URL leads through a pooler in transaction mode.',
  log_level: 'What is written to the log: error, warn, info or debug.',
  admin_phone_numbers: 'Your other numbers, in digits: what they write goes to your assistant.',
  zone: "The time zone that times are meant in, as Europe/Berlin; the machine's own unless set.",
  tell_owner_on_whatsapp:
    'Whether what needs you is also written to you, in your chat with yourself.',
  'pacing.enabled':
    'Whether messages leave at the pace of a person; a real account is restricted without.',
  'pacing.per_minute': 'How many messages leave in a minute.',
  'pacing.per_hour': 'How many messages leave in an hour.',
  'pacing.per_day': 'How many messages leave in a day.',
  'pacing.first_contacts_per_day':
    'In how many chats that were empty a first message leaves in a day.',
  'pacing.typing_min_ms': 'How long somebody is shown typing, in milliseconds, at least.',
  'pacing.typing_max_ms': 'How long somebody is shown typing, in milliseconds, at most.',
  'pacing.first_contact_freeze_hours':
    'How long first contacts rest after WhatsApp has refused one.',
  'delivery.in_flight': 'How many messages may be on their way at once while pacing is off.',
  'delivery.answer_within_ms': 'After how long a send that nobody answered may have left or not.',
  'delivery.grace_ms': 'How long a receipt may still settle such a message, once connected.',
  'delivery.reoffer_within_ms': 'Until when it is offered again under its own id.',
  'agent.max_steps': 'How often the model is asked in one turn.',
  'agent.turn_timeout_ms': 'How long a turn of an agent may take.',
  'agent.call_timeout_ms': 'How long one call of the model may take.',
  'agent.tool_timeout_ms': 'How long one tool may take.',
  'agent.context_tokens':
    'How much of a transcript is seen word for word; what is older is summed up.',
  'agent.tokens_per_conversation':
    'How many tokens one conversation may use before it asks for you.',
  'agent.tokens_per_day': 'How many tokens all agents together may use in a day.',
  'agent.usd_per_day': 'How many US dollars all agents together may spend on models in a day.',
  'agent.usd_per_million_input_tokens':
    'What a million tokens into your model cost, in US dollars; assumed unless set.',
  'agent.usd_per_million_output_tokens':
    'What a million tokens out of your model cost, in US dollars; assumed unless set.',
  'agent.instructions': 'What every agent of yours is told besides, in your own words.',
  'agent.late_replies':
    'A reply within 7 days after a conversation ended: `ask` you, or `reopen` it.',
  'auto_reply.concurrency': 'How many contacts are answered side by side.',
  'auto_reply.quiet_hours': 'When nobody is answered by itself: from, to and zone.',
  'auto_reply.compose_for_read_only':
    'Whether the model composes answers for contacts who may only be read; they stay in the session, unsent.',
  'auto_reply.late_after_hours': 'The answer to an older message is a draft that waits for you.',
  'auto_reply.answers_per_hour': 'How many answers one contact gets in an hour.',
  'auto_reply.answers_per_day': 'How many answers one contact gets in a day.',
  'auto_reply.rapid_exchanges': 'So many exchanges in a short time are taken for a machine.',
  'auto_reply.rapid_within_minutes': 'How short that time is, in minutes.',
  'auto_reply.similar_exchanges': 'So many repetitions in a row are taken for a machine.',
  'auto_reply.rest_minutes': 'How long it rests then: the first time, the second, and so on.',
  'observer.assistant_name': 'What you call your assistant in a group.',
  'observer.answers_per_day': 'How often it answers you in one group in a day.',
  'observer.minutes_between_answers': 'How many minutes lie between two answers in one group.',
  'observer.daily_at': "When the day is digested, by the clock of the group's zone.",
  'strangers.kilobytes_per_sender':
    'How much is stored of one stranger in a day, in kilobytes; beyond it messages are only counted.',
  'strangers.megabytes_per_day':
    'How much is stored of all strangers together in a day, in megabytes.',
  'disk.keep_free_megabytes':
    'With less free on the disk, strangers are only counted and imports refused; 0 turns it off.',
  'retention.observed_messages_days': 'How many days messages of observed groups are kept.',
  'retention.digests_days': 'How many days digests are kept.',
  'backup.every': 'How often everything is saved to an archive: off, hour, day or week.',
  'backup.keep': 'How many archives stay; the oldest goes first.',
  'backup.folder':
    'Where the archives lie; `backups` in the home unless set. Better on another disk.',
  'memory.embeddings': 'What finds things by meaning: off, local or endpoint.',
  'memory.endpoint_base_url': "Where the endpoint with OpenAI's /embeddings is.",
  'memory.endpoint_model': 'Which of its models.',
  'memory.endpoint_api_key': 'Its key; `relay memory embeddings endpoint --key` writes it sealed.',
  'outside_memory.device_id': 'What lines for an outside memory are marked with.',
  'outside_memory.folder': 'The folder in which one file a day is written; none unless set.',
  'outside_memory.hourly': 'Whether the digests of hours go there too, besides those of days.',
  'outside_memory.webhook_url': 'Where digests and facts are sent; nowhere unless set.',
  'outside_memory.webhook_secret': 'What that webhook is signed with.',
  'webhooks.allow': 'Places inside your own network that webhooks may lead to, as 127.0.0.1:5678.',
  'traces.endpoint':
    "Where OpenTelemetry's collector is, as http://127.0.0.1:4318; no traces unless set.",
  'traces.headers': 'What the collector wants to see besides, as name=value,name=value.',
};
