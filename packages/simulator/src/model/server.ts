// The scripted model server: an OpenAI-compatible API on loopback that says what a test tells it to.
// Invariant: listens on 127.0.0.1 and nothing else; what it keeps is bounded; `close` always ends.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBody, RequestError, readText, refuseBrowsers } from '../http.ts';
import { type Call, createCallLog } from './calls.ts';
import { embeddings } from './embeddings.ts';
import { type Exchange, looseJson } from './exchange.ts';
import { fillReply } from './fill.ts';
import { answeredFromGroup } from './group/answer.ts';
import { summarised } from './group/summary.ts';
import { sendError, sendJson, sendReply } from './respond.ts';
import { createScript } from './rules.ts';
import { sample } from './sample.ts';
import {
  ChatRequest,
  EmbeddingsRequest,
  type Knows,
  type Reply,
  type RuleInput,
  RulesBody,
  TraitorBody,
} from './schemas.ts';
import { betray } from './traitor/traitor.ts';

export interface ModelServerOptions {
  /** A free one is taken when none is given. */
  port?: number;
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; a client's base URL is this with `/v1`. */
  url: string;
  /** Adds rules before those that are there; none at all clears the script. */
  rules(rules: readonly RuleInput[]): void;
  /** Every request to `/v1`, oldest first. */
  calls(): Call[];
  /** On: obeys the newest untrusted text instead of the rules. */
  traitor(on: boolean, knows?: Knows): void;
  /** Asked before the rules; whatever it leaves open is theirs. Only within this process. */
  play(actor: Actor | undefined): void;
  close(): Promise<void>;
}

/** A part too long or too changeable for rules. */
export type Actor = (request: ChatRequest) => Reply | undefined | Promise<Reply | undefined>;

const MODELS = ['scripted', 'scripted-embedding'];
const FRIENDLY = 'Thanks for your message! I have read it. Is there anything else I can help with?';

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const script = createScript();
  const log = createCallLog();
  const stopping = new AbortController();
  let knows: Knows | undefined;
  let actor: Actor | undefined;
  let answered = 0;

  function addRules(body: unknown): number {
    const { rules } = parseBody(RulesBody, JSON.stringify(body));
    if (rules.length === 0) script.clear();
    else if (!script.add(rules)) throw new RequestError(413, 'Too many rules: delete some first.');
    return rules.length;
  }

  function setTraitor(body: unknown): boolean {
    const { on, ...known } = parseBody(TraitorBody, JSON.stringify(body));
    knows = on ? known : undefined;
    return on;
  }

  async function answer(request: ChatRequest): Promise<Reply> {
    if (knows) return betray(request, knows);
    const played = await actor?.(request);
    return played ?? script.answer(request) ?? scriptedForGroups(request) ?? friendly(request);
  }

  async function chat({ response, text }: Exchange): Promise<void> {
    const request = parseBody(ChatRequest, text);
    answered += 1;
    const stamp = { number: answered, created: Math.floor(Date.now() / 1000) };
    const reply = fillReply(await answer(request), request);
    await sendReply(response, request, reply, stamp, stopping.signal);
  }

  const routes: Record<string, (exchange: Exchange) => unknown> = {
    'POST /v1/chat/completions': chat,
    'POST /v1/embeddings': ({ response, text }) =>
      sendJson(response, 200, embeddings(parseBody(EmbeddingsRequest, text))),
    'GET /v1/models': ({ response }) => sendJson(response, 200, models()),
    'POST /control/rules': ({ response, text }) =>
      sendJson(response, 200, { rules: addRules(looseJson(text)) }),
    'DELETE /control/rules': ({ response }) => sendEmpty(response, script.clear),
    'GET /control/calls': ({ response }) =>
      sendJson(response, 200, { calls: log.all(), dropped: log.dropped() }),
    'DELETE /control/calls': ({ response }) => sendEmpty(response, log.clear),
    'POST /control/traitor': ({ response, text }) =>
      sendJson(response, 200, { on: setTraitor(looseJson(text)) }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseBrowsers(request);
    const { method = 'GET', url = '/', headers } = request;
    const path = url.replace(/\?.*$/, '');
    const text = await readText(request);
    if (path.startsWith('/v1/')) {
      const said = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      const call = { method, path: url, headers: Object.fromEntries(said), body: looseJson(text) };
      log.add({ at: new Date().toISOString(), ...call }, text.length);
    }
    const route = routes[`${method} ${path}`];
    if (!route) throw new RequestError(404, `Nothing answers ${method} ${path}.`);
    await route({ request, response, path, text });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => fail(response, error));
  });
  const { port } = await listen(server, options.port ?? 0);

  async function close(): Promise<void> {
    stopping.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    rules: (rules) => void addRules({ rules }),
    calls: log.all,
    play: (next) => {
      actor = next;
    },
    traitor: (on, known = {}) => void setTraitor({ on, ...known }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // What is left of a body nobody reads would be taken for the next request.
  response.setHeader('connection', 'close');
  if (error instanceof RequestError) sendError(response, error.status, error.message);
  else sendError(response, 500, String(error));
}

function sendEmpty(response: ServerResponse, act: () => void): void {
  act();
  response.writeHead(204).end();
}

const scriptedForGroups = (request: ChatRequest): Reply | undefined =>
  summarised(request) ?? answeredFromGroup(request);

/** Where structured output is asked for, the default is as well formed as it is friendly. */
function friendly({ response_format }: ChatRequest): Reply {
  if (!response_format?.type.startsWith('json')) return { text: FRIENDLY };
  return {
    text: JSON.stringify(sample(response_format.json_schema?.schema ?? {}, () => FRIENDLY)),
  };
}

const models = () => ({
  object: 'list',
  data: MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: 'relay' })),
});
