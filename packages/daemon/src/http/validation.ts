// Turns what zod found into one sentence that names the field, and the rest into details.
import { RelayError } from '@relay/core/errors';
import type { FastifySchemaValidationError } from 'fastify';

export function invalid(
  issues: readonly FastifySchemaValidationError[],
  where = 'body',
): RelayError {
  const [first = 'it cannot be read', ...others] = issues.map((issue) => describe(issue, where));
  const details = others.map((other) => `Also: ${other}.`).join(' ');
  return new RelayError('invalid_request', { what: first }, details === '' ? {} : { details });
}

function describe(issue: FastifySchemaValidationError, where: string): string {
  const path = issue.instancePath.slice(1).replaceAll('/', '.');
  const field = path === '' ? `the ${where}` : `"${path}"`;
  const message = issue.message ?? 'it is not valid';
  if (issue.keyword === 'unrecognized_keys') {
    const keys = Array.isArray(issue.params.keys) ? issue.params.keys.map(String) : [];
    return `${keys.map((key) => `"${key}"`).join(', ')} is not known here`;
  }
  if (message.endsWith('received undefined')) return `${field} is missing`;
  return `${field}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}
