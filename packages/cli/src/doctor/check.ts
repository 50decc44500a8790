// The words of a check: what was found and, if need be, how to mend it.
import type { HealthCheck } from '@relay/core/api/status';

export const well = (name: string, found: string): HealthCheck => ({
  name,
  ok: 'yes',
  found,
  mend: null,
});

export const doubtful = (name: string, found: string, mend: string): HealthCheck => ({
  name,
  ok: 'warn',
  found,
  mend,
});

export const broken = (name: string, found: string, mend: string): HealthCheck => ({
  name,
  ok: 'no',
  found,
  mend,
});
