import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readCompose, runArguments } from './compose-file.ts';

function compose(service: string, variables: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-compose-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'compose.yaml');
  writeFileSync(file, `services:\n  relay:\n    ${service}\n`);
  return readCompose(file, variables).services.relay;
}

it('replaces variables, falls back to defaults and reports the ones that are missing', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of compose.yaml
  const ports = 'ports: ["127.0.0.1:${PORT:-54329}:5432"]';
  expect(compose(ports)).toEqual({ ports: ['127.0.0.1:54329:5432'] });
  expect(compose(ports, { PORT: '6000' })).toEqual({ ports: ['127.0.0.1:6000:5432'] });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of compose.yaml
  expect(() => compose('image: ${PASSWORD:?write it into .env}')).toThrow(
    'PASSWORD: write it into .env',
  );
});

it('turns a service into options of podman run', () => {
  const service = compose('{ read_only: true, volumes: ["home:/data"], stop_grace_period: 60s }');
  expect(runArguments(service, 'checks')).toEqual([
    '--read-only=true',
    '--read-only-tmpfs=false',
    '--volume=checks-home:/data',
    '--stop-timeout=60',
  ]);
});

it('passes the command of a health check as a list', () => {
  const service = compose(
    'healthcheck: { test: [CMD, pg_isready, --host=a], interval: 5s, timeout: 6s, retries: 7 }',
  );
  expect(runArguments(service, 'checks')).toEqual([
    '--health-cmd=["pg_isready","--host=a"]',
    '--health-interval=5s',
    '--health-timeout=6s',
    '--health-retries=7',
  ]);
});

it('refuses a key that it does not know', () => {
  expect(() => runArguments(compose('privileged: true'), 'checks')).toThrow(
    'compose.yaml: "privileged" is not checked yet.',
  );
});
