// The assistant of the fake daemon: plays the turns in `<home>/assistant.json`, one for each question, and records
// requests in `<home>/asked.jsonl`. A turn can wait for a time or for an approval.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AssistantEvent, AssistantLine } from '@relay/contract/api/assistant';

export type Step =
  | AssistantEvent
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'until_answered' }
  /** Breaks the connection. */
  | { readonly type: 'break' };

export interface Script {
  readonly turns?: readonly (readonly Step[])[];
  readonly history?: readonly AssistantLine[];
}

const USUAL: readonly Step[] = [{ type: 'done', text: 'Here I am.' }];

export function fakeAssistant(home: string) {
  let turn = 0;
  let answered = () => {};
  const script = (): Script => {
    const file = join(home, 'assistant.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  };
  const note = (line: object) =>
    appendFileSync(join(home, 'asked.jsonl'), `${JSON.stringify(line)}\n`);

  async function play(steps: readonly Step[], response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': asked\n\n');
    const gone = new AbortController();
    response.once('close', () => {
      // A connection can close after its server, when the test has already removed the home.
      if (!response.writableEnded && existsSync(home)) note({ asked: 'stopped' });
      gone.abort();
    });
    for (const step of steps) {
      if (gone.signal.aborted) return;
      if (step.type === 'wait') await sleep(step.ms, null, { signal: gone.signal }).catch(() => {});
      else if (step.type === 'break') return void response.destroy();
      else if (step.type === 'until_answered') {
        const { promise, resolve } = Promise.withResolvers<void>();
        answered = resolve;
        gone.signal.addEventListener('abort', () => resolve());
        await promise;
      } else response.write(`event: ${step.type}\ndata: ${JSON.stringify(step)}\n\n`);
    }
    response.end();
  }

  /** Resolves to false when another handler should answer the request. */
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const asked = `${request.method} ${request.url}`;
    if (!/ \/api\/(assistant|approvals\/)/.test(asked)) return false;
    let text = '';
    for await (const chunk of request) text += chunk;
    note({ asked, body: text === '' ? null : JSON.parse(text) });
    if (asked === 'POST /api/assistant/messages') {
      await play(script().turns?.[turn++] ?? USUAL, response);
      return true;
    }
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 204 ? '' : JSON.stringify(body));
      return true;
    };
    if (asked === 'POST /api/assistant/reset') return answer(204, null);
    if (asked.startsWith('GET /api/assistant/messages')) {
      const limit = Number(new URL(request.url ?? '', 'http://x').searchParams.get('limit'));
      return answer(200, (script().history ?? []).slice(-limit));
    }
    answered();
    return answer(200, {});
  };
}
