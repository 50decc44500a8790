// Controls Chromium over its own protocol, with the minimum that a measurement needs. A driver that watches requests
// and keeps a script in the page makes V8 read the page's script again for each stack it records: a third of the first
// page's apparent cost was the driver's.
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { removeFolder } from '@relay/testing/remove-folder';

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface Chrome {
  /** A browser with an empty cache. */
  fresh(cookies: readonly { name: string; value: string; url: string }[]): Promise<FreshBrowser>;
  close(): Promise<void>;
}

export interface FreshBrowser {
  open(options: { slower: number; width: number; height: number; first: string }): Promise<Tab>;
  close(): Promise<void>;
}

export interface Tab {
  go(url: string): Promise<void>;
  /** The value of an expression in the page, as JSON. */
  read<T>(expression: string): Promise<T>;
  close(): Promise<void>;
}

type Send = <T = unknown>(method: string, params?: object, sessionId?: string) => Promise<T>;

export async function startChrome(executable: string): Promise<Chrome> {
  const profile = await mkdtemp(join(tmpdir(), 'relay-chrome-'));
  const child = spawn(
    executable,
    [
      ...['--headless', '--no-sandbox', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--remote-debugging-port=0'],
      ...['--hide-scrollbars', `--user-data-dir=${profile}`, 'about:blank'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const socket = new WebSocket(await addressSaid(child.stderr));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('Chromium does not answer.')));
  });
  const send = speaking(socket);
  return {
    fresh: (cookies) => fresh(send, cookies),
    async close() {
      const gone = new Promise((resolve) => child.once('close', resolve));
      child.kill();
      await gone;
      await removeFolder(profile);
    },
  };
}

async function addressSaid(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = /^DevTools listening on (\S+)/.exec(line) ?? [];
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
  }
  throw new Error('Chromium did not start.');
}

function speaking(socket: WebSocket): Send {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Answer;
    const asked = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || asked === undefined) return;
    waiting.delete(id);
    if (error === undefined) asked.resolve(result);
    else asked.reject(new Error(error.message));
  });
  return <T>(method: string, params: object = {}, sessionId?: string) => {
    last += 1;
    const asked = Promise.withResolvers<unknown>();
    waiting.set(last, asked);
    socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    return asked.promise as Promise<T>;
  };
}

async function fresh(send: Send, cookies: readonly object[]): Promise<FreshBrowser> {
  const { browserContextId } = await send<{ browserContextId: string }>(
    'Target.createBrowserContext',
  );
  await send('Storage.setCookies', { cookies, browserContextId });
  return {
    async open({ slower, width, height, first }) {
      const { targetId } = await send<{ targetId: string }>('Target.createTarget', {
        ...{ url: 'about:blank', browserContextId },
      });
      const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', {
        ...{ targetId, flatten: true },
      });
      const tell = (method: string, params: object) => send(method, params, sessionId);
      await tell('Page.enable', {});
      await tell('Page.addScriptToEvaluateOnNewDocument', { source: first });
      await tell('Emulation.setDeviceMetricsOverride', {
        ...{ width, height, deviceScaleFactor: 1, mobile: false },
      });
      await tell('Emulation.setCPUThrottlingRate', { rate: slower });
      return {
        go: async (url) => void (await tell('Page.navigate', { url })),
        async read<T>(expression: string) {
          const params = { expression, returnByValue: true, awaitPromise: true };
          const { result } = (await tell('Runtime.evaluate', params)) as { result: { value: T } };
          return result.value;
        },
        close: async () => void (await send('Target.closeTarget', { targetId })),
      };
    },
    close: async () => void (await send('Target.disposeBrowserContext', { browserContextId })),
  };
}
