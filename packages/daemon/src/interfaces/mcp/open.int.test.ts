// Runs in a separate daemon, because a loaded library stays loaded: checks that it starts without the MCP library.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const WATCH = `import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    if (name.startsWith('@modelcontextprotocol/')) console.log(name);
    return next(name, context);
  } });`;
const script = (file: string) => `await import(${JSON.stringify(file)})`;
const loaded = async (file: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--import', `data:text/javascript,${encodeURIComponent(WATCH)}`],
    ...['--input-type=module', '--eval', script(new URL(file, import.meta.url).href)],
  ]);
  return stdout.split('\n').filter(Boolean);
};

test('loads the MCP library with the MCP server and not with the daemon', async () => {
  expect(await loaded('../../features.ts')).toEqual([]);
  expect(await loaded('./server.ts')).toContain('@modelcontextprotocol/server');
});
