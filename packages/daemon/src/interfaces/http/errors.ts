// Maps thrown errors to HTTP error responses.
// Invariant: responses contain only texts of the error table; any other error is answered as `internal` with the
// request's id, and its message is only logged.
import { STATUS_CODES } from 'node:http';
import type { ApiErrorResponse } from '@relay/contract/api/common';
import type { V1 } from '@relay/contract/api/v1';
import { RelayError } from '@relay/contract/errors';
import type { ErrorReader } from '@relay/contract/errors/spec';
import type { Log } from '@relay/core/log';
import type {
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify';
import { isDatabaseFull, isDatabaseUnavailable } from '../../platform/db/failures.ts';

export function createErrorHandler(log: Log, bodyBytes: number) {
  return function answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error =
      known(thrown, request, bodyBytes) ?? new RelayError('internal', { request: request.id });
    if (error.status >= 500) {
      const fields = { method: request.method, code: error.code, request: request.id };
      log.error('request failed', { ...fields, route: routeOf(request), error: thrown });
    }
    if (error.code === 'rate_limited') reply.header('retry-after', String(error.params.seconds));
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    reply.code(error.status);
    if (isV1(request)) {
      if (error.status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
      const problem = problemOf(error, {
        request: request.id,
        account: accountIn(request),
        errors: fieldErrors(thrown),
      });
      reply.type('application/problem+json').serializer(JSON.stringify).send(problem);
    } else if (request.headers.accept?.includes('text/html')) {
      reply.type('text/plain; charset=utf-8').serializer(String).send(error.message);
    } else {
      reply
        .type('application/json; charset=utf-8')
        .serializer(JSON.stringify)
        .send(errorBody(error, isToolCall(request) ? 'tools' : null));
    }
  };
}

/** Version 1 of the API answers with problem details; all other routes as the specifications fix it. */
export const isV1 = ({ url }: Pick<FastifyRequest, 'url'>): boolean => url.startsWith('/api/v1/');

const isToolCall = ({ url }: FastifyRequest): boolean => url.startsWith('/api/tools');

/** The account as the caller named it; the path may also be one that no route has. */
const accountIn = ({ url }: FastifyRequest): string =>
  /^\/api\/v1\/accounts\/([\w-]+)/.exec(url)?.[1] ?? 'default';

const RETRY_AFTER_SECONDS = '5';
/** The path of the reference of errors, in which each code is an anchor. */
const REFERENCE = '/docs/reference/errors.md';

export function problemOf(
  error: RelayError,
  {
    request,
    account,
    errors,
  }: {
    readonly request: string;
    readonly account: string;
    readonly errors?: V1<'problem'>['errors'];
  },
): V1<'problem'> {
  const { code, status, sentence, reason } = error;
  const action = error.actionFor('api', { account });
  return {
    type: `${REFERENCE}#${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: sentence,
    code,
    ...(action === undefined ? {} : { action }),
    ...(reason === undefined ? {} : { reason }),
    ...(errors === undefined ? {} : { errors }),
    request_id: request,
  };
}

function fieldErrors(thrown: unknown): V1<'problem'>['errors'] {
  const { validation } = thrown as Partial<FastifyError>;
  return validation?.map(({ instancePath, message = '' }) => ({
    field: instancePath.slice(1).replaceAll('/', '.'),
    detail: message,
  }));
}

/** `reader` is null on the routes of the specifications, which programs and the `relay` command share. */
export function errorBody(error: RelayError, reader: ErrorReader | null = null): ApiErrorResponse {
  const { sentence, code, reason, details } = error;
  const action = reader === null ? error.action : error.actionFor(reader);
  return {
    error: sentence,
    code,
    ...(action === undefined ? {} : { action }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  };
}

export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'unknown';

function known(thrown: unknown, request: FastifyRequest, bodyBytes: number): RelayError | null {
  if (thrown instanceof RelayError) return thrown;
  if (!(thrown instanceof Error)) return null;
  // The caller disconnected before the body was complete; the error then looks like a lost database connection.
  if (request.raw.destroyed && !request.raw.complete) {
    return new RelayError('invalid_request', { what: 'the body did not arrive' });
  }
  if (isDatabaseUnavailable(thrown)) return new RelayError('database_unavailable');
  if (isDatabaseFull(thrown)) return new RelayError('database_full');
  const { code, statusCode, validation, validationContext } = thrown as FastifyError;
  if (validation !== undefined) return invalidRequest(validation, validationContext);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new RelayError('body_too_large', { limit: `${bodyBytes} bytes` });
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new RelayError('unsupported_media');
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new RelayError('invalid_request', { what: 'the address cannot be read' });
  }
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    return new RelayError('invalid_request', { what: 'the body is missing' });
  }
  const parsing = thrown instanceof SyntaxError && statusCode === 400;
  if (parsing || code?.startsWith('FST_ERR_CTP_')) {
    return new RelayError('invalid_request', { what: 'the body is not valid JSON' });
  }
  return null;
}

// Turns zod's issues into one sentence that names the field, and puts the rest into `details`.

function invalidRequest(
  issues: readonly FastifySchemaValidationError[],
  where = 'body',
): RelayError {
  const [first = 'it cannot be parsed', ...others] = issues.map((issue) => describe(issue, where));
  const details = others.map((other) => `Also: ${other}.`).join(' ');
  return new RelayError('invalid_request', { what: first }, details === '' ? {} : { details });
}

function describe(issue: FastifySchemaValidationError, where: string): string {
  const path = issue.instancePath.slice(1).replaceAll('/', '.');
  const field = path === '' ? `the ${where}` : `"${path}"`;
  const message = issue.message ?? 'it is not valid';
  if (issue.keyword === 'unrecognized_keys') {
    const keys = Array.isArray(issue.params.keys) ? issue.params.keys.map(String) : [];
    return `${keys.map((key) => `"${key}"`).join(', ')} is not a known field`;
  }
  if (message.endsWith('received undefined')) return `${field} is missing`;
  return `${field}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}
