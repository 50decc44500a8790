// A fake assistant that gives a fixed answer.
import type { AssistantLine } from '@relay/contract/api/assistant';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

const RUN_ID = '2d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';

const line: AssistantLine = {
  id: '1',
  role: 'assistant',
  content: 'hello',
  command: false,
  at: AT,
  run: RUN_ID,
  steps: [],
  sources: [],
  outside: false,
};

export const assistantStandIns = (recorded: Recorded): Pick<HttpDeps, 'assistant'> => ({
  assistant: {
    ask: recorded('ask', async (question, sink) => {
      sink({ type: 'run', id: RUN_ID, question: '1' });
      sink({ type: 'text', delta: question.text });
      sink({ type: 'done', text: question.text });
    }),
    history: recorded('history', async () => [line]),
    stop: recorded('stop', async () => {}),
    reset: recorded('reset', async () => {}),
  },
});
