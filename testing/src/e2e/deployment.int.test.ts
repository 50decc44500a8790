// Checks the files for deployments with many accounts: compose.fleet.yaml, and the Helm chart with Helm itself. Nothing
// is deployed; pgbouncer.int.test.ts runs the pooler with its configuration.
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CLI_COMMANDS } from '@relay/cli/catalogue';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfigs } from '../containers/compose-file.ts';
import { verifies } from '../verifies.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const COMPOSE = join(ROOT, 'compose.fleet.yaml');
const CHART = join(ROOT, 'deploy/helm/relay');
const PINNED = /^[\w./-]+:v?\d+\.\d+(\.\d+)?[\w.-]*$/;

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly deploy?: { readonly replicas: number };
}

describe('compose.fleet.yaml', () => {
  let services: Readonly<Record<string, Service>>;
  beforeAll(() => {
    ({ services } = parse(readFileSync(COMPOSE, 'utf8'), { merge: true }));
  });

  it('runs 2 workers and an API behind a pooler, without privileges and without an open port', () => {
    verifies('SCALE-COMPOSE');
    expect(Object.keys(services).sort()).toEqual(['api', 'database', 'pooler', 'worker']);
    const { worker, api } = services;
    expect(worker?.deploy).toEqual({ replicas: 2 });
    expect(worker?.environment?.DATABASE_URL).toContain('@database:5432/');
    expect(api?.environment?.DATABASE_URL).toContain('RELAY_POOLER_PORT');
    const commands = CLI_COMMANDS.map(({ name }) => name);
    for (const one of [worker, api]) expect(commands).toContain(one?.command?.[0]);
    for (const [name, one] of Object.entries(services)) {
      expect(one.image).toMatch(PINNED);
      expect(one.security_opt).toEqual(['no-new-privileges:true']);
      for (const port of one.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
      if (name !== 'database') expect(one).toMatchObject({ cap_drop: ['ALL'], read_only: true });
    }
  });

  it('contains no secret', () => {
    verifies('SCALE-COMPOSE');
    const text = readFileSync(COMPOSE, 'utf8');
    for (const [, password] of text.matchAll(/postgres:\/\/\w+:([^@]+)@/g))
      expect(password).toMatch(/^\$\{RELAY_DB_(DAEMON_)?PASSWORD:\?[^}]+\}$/);
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: { readonly spec: PodSpec };
    readonly maxUnavailable?: number;
    readonly selector: { readonly matchLabels: unknown };
  };
  readonly data: Readonly<Record<string, string>>;
}
interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: unknown;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: unknown;
  readonly readinessProbe?: { readonly exec?: { readonly command: readonly string[] } };
}

describe('the Helm chart', () => {
  let helm: string;
  beforeAll(() => {
    helm = execFileSync(join(ROOT, 'scripts/helm'), { encoding: 'utf8' }).trim();
  });

  async function render(...values: readonly string[]): Promise<readonly Manifest[]> {
    const set = ['pgbouncer.host=db', ...values].flatMap((one) => ['--set', one]);
    const { stdout } = await promisify(execFile)(helm, ['template', 'r', CHART, ...set]);
    return parseAllDocuments(stdout).flatMap((one) => one.toJS() ?? []);
  }
  const pods = (all: readonly Manifest[]) =>
    all.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');

  it.each([
    [[]],
    [['api.host=relay.example.org']],
    [['pgbouncer.enabled=false', 'networkPolicy.enabled=false']],
    [['key.command=kms decrypt']],
  ])('passes helm lint and renders with %j', async (values) => {
    verifies('SCALE-HELM');
    const set = ['pgbouncer.host=db', ...values].flatMap((one) => ['--set', one]);
    await promisify(execFile)(helm, ['lint', '--strict', CHART, ...set]);
    expect(pods(await render(...values)).length).toBeGreaterThan(1);
  });

  it('refuses a pooler without the address of PostgreSQL', async () => {
    await expect(promisify(execFile)(helm, ['template', 'r', CHART])).rejects.toThrow(
      'pgbouncer.host: the address of PostgreSQL',
    );
  });

  it('gives workers and API the key of the bucket that they share, from a Secret', async () => {
    verifies('SCALE-HELM');
    const names = (all: readonly Manifest[]) =>
      pods(all).flatMap(({ spec }) =>
        (spec.template.spec.containers[0]?.env ?? []).flatMap(({ name, value }) =>
          name.startsWith('RELAY_S3') ? [[name, value]] : [],
        ),
      );
    expect(names(await render())).toEqual([]);
    const both = [['RELAY_S3_ACCESS_KEY_ID'], ['RELAY_S3_SECRET_ACCESS_KEY']];
    const shared = await render('media.existingSecret=relay-s3', 'pgbouncer.enabled=false');
    expect(names(shared).map(([name]) => [name])).toEqual([...both, ...both]);
    expect(names(shared).every(([, value]) => value === undefined)).toBe(true);
  });

  it('runs every container without root and without privileges, and contains no secret', async () => {
    verifies('SCALE-HELM');
    const all = await render('api.host=relay.example.org');
    expect(all.map(({ kind }) => kind)).not.toContain('Secret');
    for (const { spec } of pods(all)) {
      const pod = spec.template.spec;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const one of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(one.image).toMatch(PINNED);
        expect(one.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        for (const { name, value } of one.env ?? [])
          if (/URL|PASSWORD|TOKEN/.test(name)) expect(value).toBeUndefined();
      }
    }
  });

  it('keeps workers during maintenance, and calls a worker ready when its leases are held', async () => {
    verifies('SCALE-HELM');
    const all = await render();
    const worker = all.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'r-worker',
    );
    const budget = all.find(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budget?.spec).toEqual({ maxUnavailable: 1, selector: worker?.spec.selector });
    const [container] = worker?.spec.template.spec.containers ?? [];
    expect(container?.args).toEqual(['worker', '--capacity', '500', '--port', '3215']);
    expect(container?.readinessProbe?.exec?.command.join(' ')).toContain(
      'http://127.0.0.1:3215/readyz',
    );
    expect(worker?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(120);
  });

  it('configures the pooler as compose.fleet.yaml does', async () => {
    verifies('SCALE-HELM');
    const settings = (await render()).find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'r-pgbouncer',
    );
    const lines = (text: string | undefined) =>
      (text ?? '').split('\n').filter((line) => line !== '' && !line.startsWith(';'));
    const variables = { RELAY_DB_HOST: 'db', RELAY_DB_DAEMON_PASSWORD: 'p' };
    expect(lines(settings?.data['pgbouncer.ini'])).toEqual(
      lines(readConfigs(COMPOSE, variables)['pgbouncer.ini']),
    );
  });
});
