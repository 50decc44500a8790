// Serves the files of the built console. They contain no secret and no data, so they need no credential; without a
// session the page only shows how to sign in.
// Invariant: each document is sent with its own nonce, and only styles with that nonce may be added to the page.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CONSOLE_PAGES, PAGE_NONCE } from '@relay/core/console/pages';
import type { FastifyReply } from 'fastify';
import type { App } from '../app.ts';

export async function webRoutes(app: App, directory: string): Promise<void> {
  const { default: serveFiles } = await import('@fastify/static');
  const document = await readFile(join(directory, 'index.html'), 'utf8');
  await app.register(async (web) => {
    web.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' };
    });
    compressFiles(web);
    for (const page of CONSOLE_PAGES) {
      const path = page.replace(/\$/g, ':');
      web.get(path, { schema: { hide: true } }, (_request, reply) => sendPage(reply, document));
    }
    await web.register(serveFiles, {
      root: directory,
      // One route per existing file: any other path goes through the guard.
      wildcard: false,
      index: false,
      globIgnore: ['index.html'],
      decorateReply: false,
      schemaHide: true,
      cacheControl: false,
      setHeaders(reply, path) {
        // File names in `assets` contain a content hash.
        const forever = path.includes(`${sep}assets${sep}`);
        reply.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  });
}

const COMPRESSIBLE = /javascript|css|svg/;
const compress = promisify(gzip);

/** Each file is compressed when it is first asked for; all of them together take about a megabyte. */
function compressFiles(web: App): void {
  const compressed = new Map<string, Promise<Buffer>>();
  web.addHook('onSend', async ({ method, routeOptions, headers }, reply, payload) => {
    const { url = '' } = routeOptions;
    const isFile = method === 'GET' && reply.statusCode === 200 && payload instanceof Readable;
    if (!isFile || !COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return payload;
    reply.header('vary', 'accept-encoding');
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return payload;
    const known = compressed.get(url);
    const file = known ?? buffer(payload).then((bytes) => compress(bytes));
    if (known === undefined) {
      compressed.set(url, file);
      file.catch(() => compressed.delete(url));
    } else payload.destroy();
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    return file;
  });
}

function sendPage(reply: FastifyReply, document: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64url');
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', contentPolicy(nonce))
    .send(document.replaceAll(PAGE_NONCE, nonce));
}

// The console may run its own files and connect to its own origin only. A document may add styles with the nonce it was
// sent with; a nonce never allows a script.

export function contentPolicy(nonce?: string): string {
  const styles = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
