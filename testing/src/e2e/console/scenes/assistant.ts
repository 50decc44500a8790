// The assistant's earlier questions and answers, and the scripted model's reply to new questions.
import type { RuleInput } from '@relay/simulator/model/schemas';
import type { Demo } from '../../demo.ts';

/** Part of every prompt of the assistant, and of no other. */
const ASSISTANT = 'You are the personal assistant of one person';

const asked = (contains: string, reply: RuleInput['reply']): RuleInput => ({
  when: { contains, system: ASSISTANT },
  reply,
});
const told = (tool_result: string, reply: RuleInput['reply']): RuleInput => ({
  when: { tool_result, system: ASSISTANT },
  reply,
});
const calls = (name: string, given: object) => ({
  tool_calls: [{ name, arguments: { ...given } }],
});

export const PRIYA = '14155550102';
export const NOTE_TO_PRIYA = 'Lunch moves to 13:30, is that all right?';

const SCRIPT: readonly RuleInput[] = [
  asked('What did I miss', calls('whatsapp_read_messages', { limit: 10 })),
  told('Call me when you can', {
    text: 'Three things today:\n\n- **Mum** asks you to call her.\n- **Dana** wants the spare keys at 18:30.\n- **Priya** asks about lunch.\n\nNothing else needs you.',
  }),
  asked('spare keys', calls('search_messages', { query: 'spare keys' })),
  told('bring the spare keys', { text: 'Dana asked for them at **18:30** today.' }),
  asked('Tell Priya', calls('send_message', { phone_number: PRIYA, message: NOTE_TO_PRIYA })),
  told('"status":"sent"', { text: 'Sent. I will tell you when she answers.' }),
  told('said no', { text: 'Then I leave it.' }),
  asked('Write to Mum', calls('send_message', { phone_number: '14155550104', message: 'Hello' })),
  told('error', { text: 'I may read Mum and may not write to her, so I did not.' }),
  asked('Tell me an endless story', {
    text: 'Once upon a time there was a very patient assistant, and it told its story so slowly that nobody ever heard the end.',
    chunk_delay_ms: 5_000,
  }),
  asked('Tell me a long story', {
    text: 'Once upon a time there was a very patient assistant, and it told its story slowly, so that nobody would miss a word of it.',
    chunk_delay_ms: 400,
  }),
];

export const scriptAssistant = (demo: Demo): void => demo.model.rules(SCRIPT);

/** Two questions with the tool calls made for them. */
export async function askBefore(demo: Demo): Promise<void> {
  scriptAssistant(demo);
  for (const text of ['What did I miss today?', 'Write to Mum that I am on my way.'])
    await demo.relay.call('POST', '/api/assistant/messages', { text });
}
