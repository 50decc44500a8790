// The console on the owner's phone in the simulated week: a browser that is signed in and turned notifications on. It
// keeps what each push showed, and answers an approval from it as the service worker does.
import type { ApprovalId } from '@relay/contract/ids';
import type { PushPayload } from '@relay/contract/notifications/push-payload';
import { eventually } from '@relay/testing/e2e/gateway';
import { rawRequest } from '@relay/testing/e2e/raw-request';
import type { PushService, Subscription } from '@relay/testing/push-service';
import type { SilenceHarness } from '../silence/harness.ts';

const PATIENCE_MS = 30_000;

export class Phone {
  readonly #subscription: Subscription;
  readonly #answer: (path: string, body: object) => Promise<void>;

  private constructor(
    subscription: Subscription,
    answer: (path: string, body: object) => Promise<void>,
  ) {
    this.#subscription = subscription;
    this.#answer = answer;
  }

  /** Signs in with a link like that of `relay open`, and subscribes. */
  static async open({ relay, api }: SilenceHarness, push: PushService): Promise<Phone> {
    const { url } = await relay.ok<{ url: string }>('POST', '/api/login-codes');
    const { port, pathname, search } = new URL(url);
    const signedIn = await rawRequest({
      ...{ port: Number(port), method: 'GET', path: pathname + search },
      headers: { host: `127.0.0.1:${port}` },
    });
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const headers = { host: `127.0.0.1:${port}`, origin: api, cookie };
    const post = async (path: string, body: object) => {
      const { status, text } = await rawRequest({
        ...{ port: Number(port), method: 'POST', path, body, headers },
      });
      if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`);
    };
    const subscription = push.subscribe();
    await post('/api/notifications/devices', {
      ...{ ...subscription.json, name: 'Phone', locale: 'en', renew: false },
    });
    return new Phone(subscription, post);
  }

  /** Waits until the approval is shown; null if no push shows it. */
  async shown(approval: ApprovalId): Promise<PushPayload | null> {
    const look = async () =>
      this.#subscription.messages.find(
        ({ payload: { action, tag } }) => action === 'show' && tag === `approval:${approval}`,
      )?.payload;
    return eventually('a push', look, PATIENCE_MS).catch(() => null);
  }

  /** Presses Approve or Decline in the notification. */
  async press(button: 'approve' | 'decline', { detail }: PushPayload): Promise<void> {
    const answer = detail?.answer ?? null;
    if (answer === null) throw new Error('the notification has no buttons');
    const body = button === 'approve' ? { shown: answer.shown } : {};
    const path = button === 'approve' ? 'approve' : 'reject';
    await this.#answer(`/api/approvals/${answer.approval}/${path}`, body);
  }
}
