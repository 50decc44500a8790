// What `GET /api/doctor` answers: the checks only the daemon can make, the command adds its own.
import { z } from 'zod';
import { healthCheckSchema } from './status.ts';

export const doctorReportSchema = z.object({ checks: z.array(healthCheckSchema) });
