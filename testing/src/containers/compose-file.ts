// Reads compose.yaml and turns its services into arguments for `podman run`. Invariant: a key that is not handled here
// is an error, so that everything in compose.yaml is tested.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Variables = Readonly<Record<string, string>>;

interface Healthcheck {
  readonly test: readonly string[];
  readonly interval: string;
  readonly timeout: string;
  readonly retries: number;
}

export interface Service {
  readonly image: string;
  readonly environment: Variables;
  readonly volumes: readonly string[];
  readonly stop_grace_period: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface Compose {
  readonly services: {
    readonly relay: Service & { readonly pids_limit: number };
    readonly database: Service;
  };
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?what is missing}`, as docker compose understands them. */
function interpolate(text: string, variables: Variables): string {
  return text.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, mark: string | undefined, rest: string) => {
      const value = variables[name] ?? '';
      if (value !== '') return value;
      if (mark === '?') throw new Error(`${name}: ${rest}`);
      return rest ?? '';
    },
  );
}

export function readCompose(file: string, variables?: Variables): Compose {
  const text = readFileSync(file, 'utf8');
  return parse(variables === undefined ? text : interpolate(text, variables));
}

/** The files in the section `configs`, by name. */
export function readConfigs(file: string, variables: Variables): Readonly<Record<string, string>> {
  const { configs } = parse(readFileSync(file, 'utf8')) as {
    configs: Record<string, { content: string }>;
  };
  return Object.fromEntries(
    Object.entries(configs).map(([name, { content }]) => [name, interpolate(content, variables)]),
  );
}

const each = (flag: string, values: unknown) =>
  (values as readonly (string | number)[]).map((value) => `${flag}=${value}`);
const one = (flag: string, value: unknown) => [`${flag}=${value}`];

/** What each key of a service becomes. `project` is put before the names of volumes. */
const ARGUMENTS: Readonly<Record<string, (value: unknown, project: string) => readonly string[]>> =
  {
    // The image is built before, and the caller starts services in their order.
    build: () => [],
    image: () => [],
    depends_on: () => [],
    init: (value) => one('--init', value),
    restart: (value) => one('--restart', value),
    network_mode: (value) => one('--network', value),
    environment: (value) =>
      each(
        '--env',
        Object.entries(value as Variables).map((pair) => pair.join('=')),
      ),
    volumes: (value, project) =>
      each('--volume', value).map((flag) => flag.replace('=', `=${project}-`)),
    ports: (value) => each('--publish', value),
    // Podman adds writable folders to a read-only container unless told otherwise; Docker does not.
    read_only: (value) => [`--read-only=${value}`, '--read-only-tmpfs=false'],
    tmpfs: (value) => each('--tmpfs', value),
    cap_drop: (value) => each('--cap-drop', value),
    security_opt: (value) => each('--security-opt', value),
    pids_limit: (value) => one('--pids-limit', value),
    stop_grace_period: (value) => one('--stop-timeout', Number.parseInt(String(value), 10)),
    healthcheck: (value) => {
      const { test, interval, timeout, retries } = value as Healthcheck;
      if (test[0] !== 'CMD')
        throw new Error(`The health check starts with ${test[0]}, not with CMD.`);
      return [
        // Podman puts the CMD before a list by itself.
        `--health-cmd=${JSON.stringify(test.slice(1))}`,
        `--health-interval=${interval}`,
        `--health-timeout=${timeout}`,
        `--health-retries=${retries}`,
      ];
    },
  };

/** The options of `podman run` for a service, without its name and image. */
export function runArguments(service: Service, project: string): string[] {
  return Object.entries(service).flatMap(([key, value]) => {
    const toArguments = ARGUMENTS[key];
    if (toArguments === undefined) throw new Error(`compose.yaml: "${key}" is not checked yet.`);
    return toArguments(value, project);
  });
}
