// The link of the account as the daemon tells it, change by change. Comes back when the stream breaks;
// gives up when there is no daemon any more.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LinkBody } from '@relay/core/api/link';
import { readFrames } from '@relay/core/client/frames';
import { exchange } from '../http.ts';

const STREAM = { method: 'GET', path: '/api/whatsapp/link/stream' };
/** The stream says something every 30 s, if only that it is there. */
const PATIENCE_MS = 90_000;
const COME_BACK_MS = 500;

export async function* followLink(home: string): AsyncGenerator<LinkBody> {
  for (;;) {
    const answer = await exchange(home, { ...STREAM, patience: PATIENCE_MS });
    try {
      for await (const { event, data } of readFrames(answer.setEncoding('utf8'))) {
        if (event === 'link') yield data as LinkBody;
      }
    } catch {
      // A broken stream is opened anew; the first frame says what was missed.
    } finally {
      answer.destroy();
    }
    await sleep(COME_BACK_MS);
  }
}
