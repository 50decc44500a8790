// The console under Vite, for `npm run dev`: pages come from source with hot reload, everything else from the daemon.
// The daemon's rules on Host and Origin stay as they are. The proxy presents the daemon's own address, and replaces the
// Origin only of requests from this server's pages: a request of any other page is passed on unchanged, and refused.
import { createLogger, createServer, type ProxyOptions } from 'vite';

/** All paths of the daemon that a browser uses; the console's pages begin with none of them. */
const DAEMON_PATHS = '^/(api|login|docs|metrics)(/|\\?|$)';

interface DevServerOptions {
  /** The address to serve the console at. */
  readonly origin: string;
  readonly daemonUrl: string;
  /** Where Vite keeps the libraries it has bundled, for the next start. */
  readonly cacheFolder: string;
}

export async function startDevServer({
  origin,
  daemonUrl,
  cacheFolder,
}: DevServerOptions): Promise<{ close(): Promise<void> }> {
  const { hostname, port } = new URL(origin);
  const proxy: ProxyOptions = {
    target: daemonUrl,
    changeOrigin: true,
    configure(server) {
      server.on('proxyReq', (outgoing, incoming) => {
        if (incoming.headers.origin === origin) outgoing.setHeader('origin', daemonUrl);
      });
      // While the daemon restarts, the page sees what it would see without a proxy: a connection that fails.
      server.on('error', (_error, incoming) => incoming.destroy());
    },
  };
  const vite = await createServer({
    root: import.meta.dirname,
    configFile: `${import.meta.dirname}/vite.config.ts`,
    cacheDir: cacheFolder,
    clearScreen: false,
    customLogger: quietLogger(),
    server: {
      host: hostname,
      port: Number(port),
      strictPort: true,
      proxy: { [DAEMON_PATHS]: proxy },
      warmup: { clientFiles: ['./src/main.tsx'] },
    },
  });
  await vite.listen();
  return vite;
}

/** Warnings and errors of the console; that the daemon cannot be reached while it restarts is expected. */
function quietLogger() {
  const logger = createLogger('warn');
  const { error } = logger;
  logger.error = (message, options) => {
    if (!message.includes('proxy error')) error(message, options);
  };
  return logger;
}
