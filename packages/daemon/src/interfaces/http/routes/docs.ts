// Serves the OpenAPI document and a page that shows it. Both are rarely requested and slow to load, so they are built
// on the first request.
// Invariant: the page connects to its own origin only.
import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import type { App } from '../app.ts';

interface Reference {
  readonly page: string;
  readonly script: string;
  readonly policy: string;
}

const SCRIPT_PATH = '/api/docs/reference.js';

export function docsRoutes(app: App, version: string): void {
  const document = once(async () =>
    (await import('../openapi.ts')).describeApi(app.routes, version),
  );
  const load = once(renderReference);

  app.get('/api/openapi.json', { config: { subject: 'caller' }, schema: { hide: true } }, document);

  const v1 = once(async () => (await import('../openapi.ts')).describeV1(app.routes, version));
  app.get(
    '/api/v1/openapi.json',
    { config: { subject: 'caller', access: { scope: 'any' } }, schema: { hide: true } },
    v1,
  );

  app.get(
    '/api/docs',
    { config: { subject: 'caller' }, schema: { hide: true } },
    async (_request, reply) => {
      const { page, policy } = await load();
      return reply
        .header('content-security-policy', policy)
        .type('text/html; charset=utf-8')
        .send(page);
    },
  );

  app.get(
    SCRIPT_PATH,
    { config: { subject: 'caller' }, schema: { hide: true } },
    async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send((await load()).script),
  );
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Scalar provides page and script only as routes of a plugin, so a temporary server renders them. */
async function renderReference(): Promise<Reference> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = Fastify();
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/api/openapi.json',
      cdn: SCRIPT_PATH,
      pageTitle: 'Relay API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const page = (await server.inject('/docs/')).body;
  const script = (await server.inject('/docs/js/scalar.js')).body;
  await server.close();
  return { page, script, policy: policyFor(page) };
}

/** Allows the page's only inline script by its hash; the page's components need inline styles. */
function policyFor(page: string): string {
  const inline = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
  const hash = createHash('sha256').update(inline).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';');
}
