// Requirements of seed 004, the silent observer: what it reads, what it keeps, when it responds, and what it never
// does.

export const SEED_004: Readonly<Record<string, string>> = {
  // Role
  '004-SILENT': 'The observer reads a group and says nothing by itself: no proactive message.',
  '004-ADDRESSED': 'It answers only when the owner addresses it directly.',
  '004-OWN-CONTEXT': 'A group has a context of its own; it never fills the context of the assistant.',
  '004-NO-SEND-HANDLE': 'The observer flow holds no handle that can send; an answer is an intent at the gate like any other.',
  '004-MULTI-GROUP': 'Any number of groups can be observed, each on its own.',

  // Ingestion
  '004-IN-ACCOUNT': 'Messages come from the linked account: text, sender, group, at once.',
  '004-IN-WEBHOOK': 'A token-protected, read-only webhook takes notifications of forwarders such as Tasker.',
  '004-IN-PAYLOAD': 'A forwarded event carries sender, group name, text, timestamp and media type.',
  '004-IN-DEDUPE': 'A message that arrives twice, or by both ways, is taken once.',

  // Tier 0
  '004-T0-NO-MODEL': 'Noise is filtered on arrival, without a model call.',
  '004-T0-GREETINGS': 'Greetings are discarded.',
  '004-T0-EMOJI': 'Emoji-only messages are discarded.',
  '004-T0-STICKERS': 'Stickers are discarded.',
  '004-T0-REACTIONS': 'Reactions are discarded, or collapsed: "5 people reacted to …".',
  '004-T0-FORWARDS': 'Forwarded joke chains are discarded.',
  '004-T0-MEDIA': 'Media becomes one line of metadata: "Mom sent a photo".',
  '004-T0-SHARE': 'On a group such as the recorded one 60 to 70 % is filtered out.',
  '004-T0-VERBATIM': 'What remains is kept verbatim in the raw buffer.',

  // Tiers 1 and 2
  '004-T1-HOURLY': 'Every hour with messages is digested into about 300 tokens.',
  '004-T1-FORMAT': 'An hourly digest names its hour and says who decided, asked and shared what.',
  '004-T1-TODAY': 'The hourly digests of today are in the context; those of yesterday can be fetched.',
  '004-T1-KEEP': 'Hourly digests can be fetched for at least 48 h.',
  '004-T2-DAILY': 'At 4:00 in the zone of the owner the day is digested into about 700 tokens.',
  '004-T2-EXTRACT': 'A daily digest holds decisions, events, action items, mood and participants.',
  '004-T2-SEARCH': 'Daily digests and their facts go to search.',
  '004-T2-JSONL': 'They are also written as JSONL segments for an outside memory.',
  '004-T2-SEVEN': 'The last 7 daily digests are in the context.',
  '004-ROTATE-24H': 'Raw messages older than 24 h leave the raw buffer.',

  // Context budget
  '004-BUDGET-SYSTEM': 'System prompt: 2,000 tokens.',
  '004-SYSTEM-MEMBERS': 'An answer in a group knows who its members are and what the owner tells all agents.',
  '004-BUDGET-BRIEFING': 'Briefing from memory: 4,000 tokens.',
  '004-BUDGET-DAILY': 'Seven daily digests: 5,000 tokens.',
  '004-BUDGET-RAW': 'Recent raw messages: 20,000 tokens.',
  '004-BUDGET-HOURLY': 'Hourly digests of today: 3,000 tokens.',
  '004-BUDGET-HEADROOM': 'All slots together stay at 34,000 of 128,000 tokens; the rest is headroom.',
  '004-BUDGET-ORDER': 'The most recent messages stand at the end of the context.',
  '004-DEEP-HISTORY': 'What is older than the context is found by search, up to the retention.',
  '004-TOKENS-SHOWN': 'Tokens spent and avoided are shown for each group.',

  // Trigger
  '004-TRIGGER-REGEX': 'Phase 1: the name as a whole word, in any case, on every message, at no cost.',
  '004-TRIGGER-OWNER': 'A mention by anyone but the owner is noted and met with silence.',
  '004-TRIGGER-CLASSIFY': 'Phase 2: only when phase 1 fires, a model sees the last 10 messages and the trigger.',
  '004-TRIGGER-DIRECT': '`direct_request` ("Annie, what is the plan for Saturday?") is answered.',
  '004-TRIGGER-MENTION': '`mention_only` ("I told Annie about it") is met with silence.',
  '004-TRIGGER-FALSE': '`false_positive` ("Annie\'s grandma called") is met with silence.',

  // Cadence
  '004-CADENCE-5-MIN': 'At most 1 response in 5 minutes.',
  '004-CADENCE-DAY': 'At most 5 responses a day, configurable.',
  '004-CADENCE-SHORT': 'Responses in a group are short.',

  // Privacy
  '004-PRIV-TRANSPARENCY': 'Before a group is observed the owner is asked to announce it there; the first time says so.',
  '004-PRIV-OWNER-ONLY': 'Only the owner can cause a response.',
  '004-PRIV-NO-PROFILES': 'No profiles of other members are built.',
  '004-PRIV-RAW-30': 'Raw messages are deleted after 30 days, provably.',
  '004-PRIV-DIGEST-4W': 'Digests are deleted after 4 weeks, provably.',
  '004-PRIV-ANONYMISE': 'Personal, financial and medical details of other members are anonymised in digests.',
  '004-PRIV-PARTITION': 'Private chats of the owner never reach a group response.',
  '004-PRIV-HONEST': 'It says what it could not see: "I saw Mom sent a voice note but I can\'t listen to audio".',
  '004-PRIV-NO-TYPING': 'No typing indicator is shown in an observed group.',
  '004-PRIV-NO-RECEIPTS': 'No read receipt, reaction or presence is sent to an observed group.',

  // Anti-patterns
  '004-ANTI-UNADDRESSED': 'It does not respond when not addressed.',
  '004-ANTI-ROT': 'Irrelevant context is compacted away before the model sees it.',
  '004-ANTI-MIDDLE': 'Nothing that matters is buried in the middle of a full window.',
  '004-ANTI-STALE': 'Facts carry their time, and old ones are hedged.',
  '004-ANTI-MEDIA': 'It does not pretend to have seen or heard media.',
  '004-ANTI-OVERSHARE': 'It does not tell the group what one person told in private.',
  '004-ANTI-OVER-RESPOND': 'It does not answer several times in one thread of talk.',
  '004-ANTI-FATIGUE': 'It sends nothing on its own account.',
  '004-ANTI-DUMP': 'The whole history is never put into a prompt.',
  '004-ANTI-INTERLEAVED': 'Interleaved and out-of-order messages of a group are not read as one thread.',
  '004-ANTI-FORWARDED': 'Forwarded content never triggers a response.',

  // Bridge
  '004-BRIDGE-ANY-CHANNEL': 'The owner can ask about the group by any channel of the assistant.',
  '004-BRIDGE-ENTITIES': 'Events and decisions of the group are searchable as facts, with their time.',
  '004-DECAY': 'Retrieval decays by age with a half-life of 30 days; what is about a person never decays below 0.3.',
};
