// The built console, as files. They hold no secret and no data, so they are open: without a session
// the page can only say how to get one. Invariant: each document goes out with a nonce of its own, and
// only styles that carry it may be written into the page.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
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
    for (const page of CONSOLE_PAGES) {
      const path = page.replace(/\$/g, ':');
      web.get(path, { schema: { hide: true } }, (_request, reply) => sendPage(reply, document));
    }
    await web.register(serveFiles, {
      root: directory,
      // A route for each file there is: any other path meets the guard.
      wildcard: false,
      index: false,
      globIgnore: ['index.html', '**/*.gz'],
      // The build has left the same, smaller, beside each.
      preCompressed: true,
      decorateReply: false,
      schemaHide: true,
      cacheControl: false,
      setHeaders(reply, path) {
        // The build names what is in `assets` by its content.
        const forever = path.includes(`${sep}assets${sep}`);
        reply.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
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

// What a page of ours may do: run its own files and talk to its own origin, nothing else. A document that writes
// styles of its own does so with the nonce it was handed out with; no script is ever let in that way.

export function contentPolicy(nonce?: string): string {
  const styles = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
