// The scripted model server: an OpenAI-compatible API on loopback that answers as a test tells it to. Invariant: it
// listens only on 127.0.0.1; what it stores is bounded; `close` always completes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseBody, RequestError, readRequestText, refuseBrowsers } from '../http.ts';
import { embeddingsBody } from './embeddings.ts';
import { answerAboutGroup, summarizeGroup } from './group/group.ts';
import { TranscriptionFault, transcriptionBody, transcriptionRequest } from './media.ts';
import { sendError, sendJson, sendReply } from './responses.ts';
import { sampleValue } from './sample.ts';
import {
  ChatRequest,
  EmbeddingsRequest,
  type Reply,
  type RuleInput,
  RulesBody,
  TraitorBody,
  type TraitorKnowledge,
} from './schemas.ts';
import { createScript, fillReply } from './script.ts';
import { replyAsTraitor } from './traitor/traitor.ts';

interface ModelServerOptions {
  /** Defaults to a free port. */
  port?: number;
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; a client's base URL is this with `/v1`. */
  url: string;
  /** Adds rules before the existing ones; an empty list clears the script. */
  rules(rules: readonly RuleInput[]): void;
  /** Every request to `/v1`, oldest first. */
  calls(): LoggedCall[];
  /** When on, it obeys the newest untrusted text instead of the rules. */
  traitor(on: boolean, knows?: TraitorKnowledge): void;
  /** How transcription answers from now on: late, or with an error. */
  hearing(fault: TranscriptionFault): void;
  /** Asked before the rules; undefined leaves the request to them. Only within this process. */
  play(actor: ModelActor | undefined): void;
  close(): Promise<void>;
}

/** Answers requests that are too complex for rules. */
export type ModelActor = (request: ChatRequest) => Reply | undefined | Promise<Reply | undefined>;

const MODELS = ['scripted', 'scripted-embedding'];
const FRIENDLY = 'Thanks for your message! I have read it. Is there anything else I can help with?';

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const script = createScript();
  const log = createCallLog();
  const stopping = new AbortController();
  let knows: TraitorKnowledge | undefined;
  let actor: ModelActor | undefined;
  let hearing: TranscriptionFault = {};
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

  function setHearing(body: unknown): void {
    hearing = parseBody(TranscriptionFault, JSON.stringify(body));
  }

  async function answer(request: ChatRequest): Promise<Reply> {
    if (knows) return replyAsTraitor(request, knows);
    const played = await actor?.(request);
    return played ?? script.answer(request) ?? scriptedForGroups(request) ?? friendly(request);
  }

  async function chat({ response, text }: ModelExchange): Promise<void> {
    const request = parseBody(ChatRequest, text);
    answered += 1;
    const stamp = { number: answered, created: Math.floor(Date.now() / 1000) };
    const reply = fillReply(await answer(request), request);
    await sendReply(response, request, reply, stamp, stopping.signal);
  }

  const routes: Record<string, (exchange: ModelExchange) => unknown> = {
    'POST /v1/chat/completions': chat,
    'POST /v1/embeddings': ({ response, text }) =>
      sendJson(response, 200, embeddingsBody(parseBody(EmbeddingsRequest, text))),
    'POST /v1/audio/transcriptions': async ({ response, text }) => {
      const { status, delay_ms = 0 } = hearing;
      if (delay_ms > 0) await sleep(delay_ms, undefined, { signal: stopping.signal });
      if (status !== undefined) throw new RequestError(status, 'Scripted.');
      sendJson(response, 200, transcriptionBody(text));
    },
    'POST /control/transcription': ({ response, text }) =>
      sendEmpty(response, () => setHearing(parseLooseJson(text))),
    'GET /v1/models': ({ response }) => sendJson(response, 200, models()),
    'POST /control/rules': ({ response, text }) =>
      sendJson(response, 200, { rules: addRules(parseLooseJson(text)) }),
    'DELETE /control/rules': ({ response }) => sendEmpty(response, script.clear),
    'GET /control/calls': ({ response }) =>
      sendJson(response, 200, { calls: log.all(), dropped: log.dropped() }),
    'DELETE /control/calls': ({ response }) => sendEmpty(response, log.clear),
    'POST /control/traitor': ({ response, text }) =>
      sendJson(response, 200, { on: setTraitor(parseLooseJson(text)) }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseBrowsers(request);
    const { method = 'GET', url = '/', headers } = request;
    const path = url.replace(/\?.*$/, '');
    const text = await readRequestText(request);
    if (path.startsWith('/v1/')) {
      const said = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      const call = {
        method,
        path: url,
        headers: Object.fromEntries(said),
        body: path.startsWith('/v1/audio/') ? transcriptionRequest(text) : parseLooseJson(text),
      };
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
    hearing: setHearing,
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
  // Closes the connection, because the unread rest of the body would be parsed as the next request.
  response.setHeader('connection', 'close');
  if (error instanceof RequestError) sendError(response, error.status, error.message);
  else sendError(response, 500, String(error));
}

function sendEmpty(response: ServerResponse, act: () => void): void {
  act();
  response.writeHead(204).end();
}

const scriptedForGroups = (request: ChatRequest): Reply | undefined =>
  summarizeGroup(request) ?? answerAboutGroup(request);

/** If structured output is requested, the default reply fits its schema. */
function friendly({ response_format }: ChatRequest): Reply {
  if (!response_format?.type.startsWith('json')) return { text: FRIENDLY };
  return {
    text: JSON.stringify(sampleValue(response_format.json_schema?.schema ?? {}, () => FRIENDLY)),
  };
}

const models = () => ({
  object: 'list',
  data: MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: 'relay' })),
});

// The log of every request to `/v1`, where tests see what was sent to the model. Invariant: requests and bytes are
// bounded; the oldest are dropped first, and counted.

export interface LoggedCall {
  /** ISO 8601. */
  at: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The parsed body; the text if it is not JSON; null if there is none. */
  body: unknown;
}

const MAX_CALLS = 2000;
const MAX_BYTES = 64 * 1024 * 1024;

interface CallLog {
  add(call: LoggedCall, bytes: number): void;
  all(): LoggedCall[];
  dropped(): number;
  clear(): void;
}

export function createCallLog(maxCalls = MAX_CALLS, maxBytes = MAX_BYTES): CallLog {
  let kept: { call: LoggedCall; bytes: number }[] = [];
  let total = 0;
  let dropped = 0;
  return {
    add(call, bytes) {
      kept.push({ call, bytes });
      total += bytes;
      while (kept.length > maxCalls || total > maxBytes) {
        total -= kept.shift()?.bytes ?? 0;
        dropped += 1;
      }
    },
    all: () => kept.map(({ call }) => call),
    dropped: () => dropped,
    clear() {
      kept = [];
      total = 0;
      dropped = 0;
    },
  };
}

// One request to the model server and its response. Invariant: the whole body was read, within its limit, before a
// handler runs.

interface ModelExchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  text: string;
}

/** The parsed body, or the text if it is not JSON. */
function parseLooseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
