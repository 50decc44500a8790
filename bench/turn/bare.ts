// The same calls as a turn makes, with nothing around them: what a program would do that has the AI SDK
// and no Relay. Prompt and tools are taken from what the turn sent to the model.
import { loadSdk, type OpenedModel } from '@relay/daemon/models/agent/model';
import { ChatRequest } from '@relay/simulator/model/schemas';
import { messageText, systemText } from '@relay/simulator/model/transcript';

const MOST_STEPS = 8;

/** Milliseconds. */
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
