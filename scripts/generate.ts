// Writes what is derived from the API's schemas: the OpenAPI document and the client's types.
// `--check` writes nothing and fails when what is there is stale.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { silentLog } from '@relay/core/log';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import type { HttpDeps } from '../packages/daemon/src/http/deps.ts';
import { createHttpServer } from '../packages/daemon/src/http/server.ts';

const root = join(import.meta.dirname, '..');
const HEADER = '// Generated from the API’s schemas by `npm run generate`. Do not edit.\n\n';

async function openApiDocument(): Promise<OpenAPI3> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const token = 'generate';
  // Routes are declared, never run: the one asked for needs nothing but these.
  const deps = {
    version,
    port: 3214,
    log: silentLog,
    webDirectory: null,
    ownerToken: () => token,
    stopping: () => false,
  } as unknown as HttpDeps;
  const app = await createHttpServer(deps);
  const response = await app.inject({
    url: '/api/openapi.json',
    headers: { host: '127.0.0.1:3214', authorization: `Bearer ${token}` },
  });
  await app.close();
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

async function generated(): Promise<Record<string, string>> {
  const document = await openApiDocument();
  const types = astToString(await openapiTypes(structuredClone(document), { alphabetize: true }));
  return {
    'docs/api/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'packages/core/src/client/openapi.ts': HEADER + types,
  };
}

async function main(check: boolean): Promise<void> {
  for (const [path, wanted] of Object.entries(await generated())) {
    const file = join(root, path);
    const found = await readFile(file, 'utf8').catch(() => null);
    if (found === wanted) continue;
    if (check) {
      console.error(`${path} is stale. Run \`npm run generate\`.`);
      process.exitCode = 1;
    } else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, wanted);
      console.log(`wrote ${path}`);
    }
  }
}

await main(process.argv.includes('--check'));
