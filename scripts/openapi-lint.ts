// Lints the OpenAPI document of version 1 with Redocly's recommended rules, and fails on any error or warning. An
// example that its schema does not accept is an error too.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const file = join(import.meta.dirname, '..', 'docs/api/v1.json');

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'operation-operationId': 'error',
    'operation-operationId-unique': 'error',
    // The daemon listens on loopback, under whatever port its owner chose.
    'no-server-example.com': 'off',
    // Every operation describes 4xx; nothing redirects.
    'operation-4xx-response': 'error',
  },
});

const problems = await lintFromString({
  source: await readFile(file, 'utf8'),
  absoluteRef: file,
  config,
});
for (const { message, severity, ruleId, location } of problems) {
  console.error(`${severity} ${ruleId} at ${location[0]?.pointer ?? ''}: ${message}`);
}
console.log(`${problems.length} problems in the OpenAPI document of version 1.`);
process.exitCode = problems.length === 0 ? 0 : 1;
