// The same model calls as in a turn, with nothing around them: what a program with the AI SDK and without Relay would
// do. Prompt and tools are copied from the turn's requests.
import { loadSdk, type OpenedModel } from '@relay/daemon/models/agent/model';
import { ChatRequest } from '@relay/simulator/model/schemas';
import { messageText, systemText } from '@relay/simulator/model/transcript';

const MOST_STEPS = 8;

/** In milliseconds. */
export async function bareCall({ model }: OpenedModel, like: unknown): Promise<number> {
  const { generateText, jsonSchema, stepCountIs, tool } = await loadSdk();
  const request = ChatRequest.parse(like);
  const messages = request.messages.flatMap((message) =>
    message.role === 'user' || message.role === 'assistant'
      ? [{ role: message.role, content: messageText(message) }]
      : [],
  );
  const tools = Object.fromEntries(
    (request.tools ?? []).map(({ function: made }) => [
      made.name,
      tool({
        description: String(made.description),
        inputSchema: jsonSchema<object>(made.parameters ?? {}),
        execute: async () => 'Done.',
      }),
    ]),
  );
  const began = performance.now();
  await generateText({
    ...{ model, instructions: systemText(request), messages, tools, maxRetries: 0 },
    stopWhen: stepCountIs(MOST_STEPS),
    telemetry: { isEnabled: false },
  });
  return performance.now() - began;
}
