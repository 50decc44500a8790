// Builds the HTTP server; `main` makes it listen. The order matters: headers for every response, then the guard, then
// routes.
// Invariant: no route can be declared outside the guard.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import { RelayError } from '@relay/contract/errors';
import type { RouteOptions } from 'fastify';
import Fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { isDatabaseUnavailable } from '../../platform/db/failures.ts';
import { accountInPath, accountOf, inAccount, withoutAccountPrefix } from './account-scope.ts';
import { type App, type Principal, ZOD_COMPILERS } from './app.ts';
import { DEFAULT_HTTP_LIMITS, type HttpDeps } from './deps.ts';
import { createErrorHandler, errorBody, routeOf } from './errors.ts';
import { admitUpgrade, createAuthenticator, createGuard, createLimiter, hasBody } from './guard.ts';
import { createQrPicture } from './linking.ts';
import { accountRoutes, ownerRoutes } from './routes/accounts.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { archiveRoutes, backupRoutes } from './routes/archive.ts';
import { assistantRoutes } from './routes/assistant.ts';
import { chatRoutes } from './routes/chats.ts';
import { contactRoutes } from './routes/contacts.ts';
import { docsRoutes } from './routes/docs.ts';
import { evalRoutes } from './routes/eval.ts';
import { eventRoutes } from './routes/events.ts';
import { ingestRoutes } from './routes/ingest.ts';
import { instanceRoutes } from './routes/instances.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { mcpPipe, mcpRoutes, toolRoutes } from './routes/mcp.ts';
import { mediaRoutes } from './routes/media.ts';
import { importRoutes, memoryRoutes, searchRoutes } from './routes/memory.ts';
import { messageRoutes } from './routes/messages.ts';
import { notificationRoutes } from './routes/notifications.ts';
import { digestExportRoutes, digestRoutes, observedGroupRoutes } from './routes/observed-groups.ts';
import { permissionRoutes } from './routes/permissions.ts';
import { remoteRoutes } from './routes/remote.ts';
import { retentionRoutes } from './routes/retention.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { settingsRoutes } from './routes/settings.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { activityRoutes, healthRoutes, metricsRoutes, statusRoutes } from './routes/status.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { contentPolicy, webRoutes } from './routes/web.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { initRoutes, whatsappRoutes, whatsappStreamRoutes } from './routes/whatsapp.ts';
import { workerRoutes } from './routes/workers.ts';
import { createOpenStreams, type OpenStreams } from './streams.ts';
import { V1_ACCOUNT } from './v1/operation.ts';
import { v1Headers, v1Routes } from './v1/routes.ts';

export async function createHttpServer(deps: HttpDeps): Promise<App> {
  const { log } = deps;
  const limits = { ...DEFAULT_HTTP_LIMITS, ...deps.limits };
  const answer = createErrorHandler(log, limits.bodyBytes);
  const app: App = Fastify({
    ...ZOD_COMPILERS,
    trustProxy: false,
    bodyLimit: limits.bodyBytes,
    // An archive may take any time; the two timeouts below limit everything else.
    requestTimeout: 0,
    // The routes register without waiting for anything; on an overloaded machine a limit would only prevent the start.
    pluginTimeout: 0,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.headersMs },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    rewriteUrl: withoutAccountPrefix,
    genReqId: () => randomUUID(),
    frameworkErrors: answer,
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<ZodTypeProvider>();

  const port = () => deps.port || ((app.server.address() as AddressInfo | null)?.port ?? 0);
  const authenticator = createAuthenticator(deps);
  const streams = createOpenStreams();
  const failures = createLimiter(limits.failuresPerMinute);
  const requests = createLimiter(limits.requestsPerMinute);
  const forwarded = createLimiter(limits.forwardedPerMinute);

  app.setErrorHandler(async (thrown, request, reply) => {
    const isFull = isDatabaseUnavailable(thrown) && (await deps.isDatabaseDiskFull());
    answer(
      isFull ? new RelayError('database_full', {}, { cause: thrown }) : thrown,
      request,
      reply,
    );
  });
  app.decorateRequest('principal', null);
  app.decorateRequest('site');
  const routes: RouteOptions[] = [];
  app.decorate('routes', routes);
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  await app.register(helmet, {
    contentSecurityPolicy: false,
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', contentPolicy());
  });
  await app.register(cookie);
  const stopping = () => deps.stopping();
  const remoteHosts = () => deps.remote.hosts();
  const rules = { port, remoteHosts, authenticator, failures, requests, forwarded, stopping };
  v1Headers(app, { requests, failures });
  app.addHook('onRequest', createGuard(rules));
  app.decorateRequest('account');
  app.addHook('onRequest', async (request) => {
    const { config, url = '' } = request.routeOptions;
    const { account } = request.params as { account?: string };
    const name = (url.startsWith(V1_ACCOUNT) ? account : undefined) ?? accountInPath(request.raw);
    const { subject = 'account' } = config;
    const found = accountOf(deps.accounts, request.principal, { name, subject });
    if (found !== null) request.account = found;
  });
  // A callback, because the handler runs in the context in which this hook ends.
  app.addHook('preHandler', ({ account }, _reply, done) =>
    account === undefined ? done() : inAccount(account, done),
  );
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    throw new RelayError('route_not_found', { method: request.method, path });
  });
  app.addHook('onResponse', async (request, reply) => {
    const fields = { method: request.method, route: routeOf(request), status: reply.statusCode };
    log.debug('request', { ...fields, request: request.id, ms: Math.round(reply.elapsedTime) });
    deps.metrics.countRequest({ ...fields, seconds: reply.elapsedTime / 1_000 });
  });
  limitBodyTime(app, limits.bodyMs);
  closeGracefully(app, streams, limits.drainMs);

  v1Routes(app, { deps, streams, authenticator, limits });
  accountRoutes(app, deps);
  ownerRoutes(app, deps);
  statusRoutes(app, deps);
  healthRoutes(app, deps);
  workerRoutes(app, deps);
  activityRoutes(app, deps);
  metricsRoutes(app, deps);
  observedGroupRoutes(app, deps);
  instanceRoutes(app, deps.conversations);
  approvalRoutes(app, deps, authenticator);
  assistantRoutes(app, deps, { streams, authenticator, limits });
  digestExportRoutes(app, deps);
  permissionRoutes(app, deps);
  contactRoutes(app, deps);
  chatRoutes(app, deps);
  scheduleRoutes(app, deps);
  searchRoutes(app, deps);
  digestRoutes(app, deps);
  memoryRoutes(app, deps);
  evalRoutes(app, deps, { streams, authenticator, limits });
  retentionRoutes(app, deps);
  const picture = createQrPicture();
  whatsappRoutes(app, deps, picture);
  whatsappStreamRoutes(app, deps, picture, { streams, authenticator, limits });
  messageRoutes(app, deps, limits);
  mediaRoutes(app, deps);
  ledgerRoutes(app, deps);
  initRoutes(app, deps, limits);
  settingsRoutes(app, deps);
  ingestRoutes(app, deps);
  tokenRoutes(app, deps, streams);
  webhookRoutes(app, deps);
  notificationRoutes(app, deps, authenticator);
  toolRoutes(app, deps);
  const admit = (request: IncomingMessage) => admitUpgrade(rules, request);
  mcpRoutes(app, deps, { streams, authenticator, limits });
  const account = (principal: Principal) => {
    const found = accountOf(deps.accounts, principal, { name: null, subject: 'account' });
    if (found === null) throw new RelayError('account_not_found', { account: 'default' });
    return found;
  };
  mcpPipe(app, deps, { streams, authenticator, limits, admit, account });
  importRoutes(app, deps);
  eventRoutes(app, deps, { streams, authenticator, limits });
  signInRoutes(app, deps, { port, failures, streams });
  remoteRoutes(app, deps, { port, picture, failures, streams });
  archiveRoutes(app, deps.archive);
  backupRoutes(app, deps);
  docsRoutes(app, deps.version);
  if (deps.webDirectory !== null) await webRoutes(app, deps.webDirectory);
  await app.ready();
  return app;
}

// Handling of sockets: broken requests, slow bodies, and closing.
// Invariant: no caller can keep a connection open forever, and closing always ends.

/** For bytes that are not HTTP, or headers that never end: there is no request to answer. */
function answerBrokenRequest(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const what = 'it is not valid HTTP';
  const body = JSON.stringify(errorBody(new RelayError('invalid_request', { what })));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Cuts off a JSON body that arrives too slowly. Archives and files are exempt: their reader sets the pace. */
function limitBodyTime(app: App, bodyMs: number): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    const streamed = (request.routeOptions.config.body ?? 'json') !== 'json';
    if (!streamed && hasBody(request.headers)) {
      const timer = setTimeout(() => request.raw.destroy(), bodyMs);
      request.raw.once('end', () => clearTimeout(timer));
      request.raw.once('close', () => clearTimeout(timer));
    }
    return payload;
  });
}

/** Ends streams and idle connections at once; running requests get their response within `drainMs`. */
function closeGracefully(app: App, streams: OpenStreams, drainMs: number): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    streams.endAll();
    setTimeout(() => app.server.closeAllConnections(), drainMs).unref();
  });
  // Fastify closes the connections that are idle when closing begins; this closes those that become idle later.
  app.addHook('onResponse', async () => {
    if (closing) setImmediate(() => app.server.closeIdleConnections());
  });
}
