// What `GET /api/doctor` answers: the checks only the daemon can make, the command adds its own.
import { z } from 'zod';
import { healthCheckSchema } from './status.ts';

/** `full`: also what was found in order before. */
export const doctorQuerySchema = z.strictObject({ full: z.stringbool().default(false) });

export const doctorReportSchema = z.object({ checks: z.array(healthCheckSchema) });
