// The built console, as files. They hold no secret and no data, so they are open: without a session
// the page can only say how to get one.
import { sep } from 'node:path';
import type { App } from '../app.ts';

export async function webRoutes(app: App, directory: string): Promise<void> {
  const { default: serveFiles } = await import('@fastify/static');
  await app.register(async (web) => {
    web.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' };
    });
    await web.register(serveFiles, {
      root: directory,
      // A route for each file there is: any other path meets the guard.
      wildcard: false,
      index: ['index.html'],
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
