// Requirements of seed 001, the assistant: the path of a message, seven tools, memory, and loop prevention.

export const SEED_001: Readonly<Record<string, string>> = {
  // The pipeline, in order
  '001-PIPE-LOOP': 'Step 1: a message of our own that Relay sent (its id is stored, or it ends with [BOT]) is ignored.',
  '001-PIPE-AUTH': 'Step 2: only the linked owner and the numbers in `ADMIN_PHONE_NUMBERS` reach the assistant.',
  '001-PIPE-COMMAND': 'Step 3: a message that starts with / is handled directly, without the model.',
  '001-PIPE-INDEX': 'Step 4: the message is indexed for search.',
  '001-PIPE-RETRIEVE': 'Step 5: similar past messages are retrieved.',
  '001-PIPE-AGENT': 'Step 6: the agent gets the message, the sender and the retrieved context.',
  '001-PIPE-RESPOND': 'Step 7: the answer goes back with the [BOT] signature appended.',
  '001-PIPE-ORDER': 'The seven steps run in this order, and a step that ends the way leaves the later ones undone.',
  '001-ONE-PROCESS': 'No bridge process: transport, orchestration and agent live in one daemon.',
  '001-TIMEOUT': 'A request that WhatsApp does not answer is given up after 30 s.',
  '001-INBOUND': 'An inbound message carries id, from, body, timestamp and fromMe.',

  // Loop prevention
  '001-LOOP-IDS': 'Loop prevention looks at stored ids first, at the signature second.',
  '001-LOOP-ECHO': 'The echo of an answer never reaches the model again.',
  '001-LOOP-OWNER': 'A message the owner types into the self-chat without [BOT] is answered.',

  // Tools
  '001-TOOL-SEND': '`send_message(phone_number, message)` sends and answers `{ status: "sent", to }`.',
  '001-TOOL-SCHEDULE': '`schedule_message(phone_number, message, time, pattern)` schedules and answers `{ status: "scheduled", task_id }`.',
  '001-TOOL-SEARCH': '`search_messages` finds past messages.',
  '001-TOOL-SUMMARIZE': '`summarize_chat` summarises one chat.',
  '001-TOOL-LIST-TASKS': '`list_scheduled_tasks` lists what is scheduled.',
  '001-TOOL-CANCEL-TASK': '`cancel_scheduled_task` cancels one of them.',
  '001-TOOL-CHATS': '`get_chats(limit)` answers `{ chats: [{ id, name, … }] }`.',
  '001-TOOL-SEVEN': 'The assistant has these seven tools, declared with schemas; a session of a contact does not.',
  '001-TOOL-GATE': 'Whatever a tool sends or schedules passes the gate; after reading a message of a contact in the same run, it waits for the owner.',

  // The agent loop
  '001-AGENT-ROUNDS': 'At most 5 tool rounds for one message.',
  '001-AGENT-FEEDBACK': 'The result of a tool is fed back to the model, until it answers in text.',
  '001-AGENT-CHAIN': 'The model may chain tools on its own: look a name up, then send.',
  '001-AGENT-NAMES': 'A name is resolved through `get_chats`; an ambiguous one is asked back.',
  '001-AGENT-TEXT': 'An answer without a tool call is returned as it is.',

  // Context and memory
  '001-CONTEXT-SYSTEM': 'The system prompt says which tools there are and how to behave, such as calling `get_chats` first for a name.',
  '001-CONTEXT-HISTORY': 'The earlier turns with this user are in the context, across restarts.',
  '001-MEMORY-TURNS': 'History is kept under 30 turns.',
  '001-MEMORY-TOKENS': 'History is kept under 16,000 tokens.',
  '001-CONTEXT-RETRIEVED': 'Retrieved messages are appended under "Relevant context from past messages:" as `[timestamp] sender: text`.',
  '001-CONTEXT-NONE': 'With nothing relevant found, nothing is appended.',
  '001-CONTEXT-SCOPE': 'Retrieval sees only what the grants allow.',
  '001-SESSION-PER-USER': 'Each user has a session of their own.',

  // Schedules
  '001-SCHED-TIME': '`09:00` is hour 9, minute 0 in the configured IANA zone.',
  '001-SCHED-DAILY': 'The pattern `daily` repeats every day at that time.',
  '001-SCHED-SELF': '"Remind me" schedules to the sender.',
  '001-SCHED-FIRES': 'A due task sends its message once, and a restart loses none.',

  // The four examples
  '001-EX-CHAT': 'A question that needs no tool is answered in text and sent with [BOT].',
  '001-EX-SEND-BY-NAME': '"Send hello to mum" looks the chat up, sends, and reports what was sent to whom.',
  '001-EX-REMINDER': '"Remind me to call the doctor every day at 9am" makes a daily task at 09:00 and says so.',
  '001-EX-SUMMARY': '"What were we talking about last week with Ahmed?" is answered from retrieved messages or by `summarize_chat`.',
};
