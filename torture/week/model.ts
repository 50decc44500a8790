// The model of the simulated week: answers contacts in one sentence, and sends what the owner asks the assistant to send.
import type { ModelActor } from '@relay/simulator/model/server';
import { sumsUp } from '../month/model.ts';

const WISH = /Tell (\+\d+) this: (.+)/;

export const helps: ModelActor = (request) => {
  const { messages } = request;
  const last = messages.at(-1);
  const text =
    typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content ?? '');
  if (last?.role === 'tool') return { text: 'It waits for your approval.' };
  const wish = WISH.exec(text.replaceAll('\\n', '\n'));
  const tools = request.tools ?? [];
  if (wish !== null && tools.length > 0) {
    const [, phone_number, message] = wish;
    return { tool_calls: [{ name: 'send_message', arguments: { phone_number, message } }] };
  }
  const observed = sumsUp(request);
  const system = messages.flatMap(({ role, content }) =>
    role === 'system' && typeof content === 'string' ? content : [],
  );
  if (/You s(?:um up|ort)/.test(system.join('\n'))) return observed;
  return { text: 'Good question. I will check and tell you this evening.' };
};
