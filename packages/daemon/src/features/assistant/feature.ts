// Creates the assistant feature for the routes, the hold and the workers.
import type { AssistantService } from '@relay/contract/api/assistant';
import type { OnRelease } from '../../pipeline/gate/approvals.ts';
import type { JobHandler } from '../../platform/jobs/queue-worker.ts';
import { type AssistantDeps, SessionTurns } from './deps.ts';
import { onAssistantJob } from './job.ts';
import { resumeQuestionsOnRelease } from './on-message.ts';
import { createAssistantService } from './service.ts';

interface AssistantFeature {
  readonly service: AssistantService;
  readonly onRelease: OnRelease;
  readonly onQuestion: JobHandler<'assistant'>;
}

export function openAssistant(options: Omit<AssistantDeps, 'turns'>): AssistantFeature {
  const deps: AssistantDeps = { ...options, turns: new SessionTurns() };
  return {
    service: createAssistantService(deps),
    onRelease: resumeQuestionsOnRelease(deps),
    onQuestion: onAssistantJob(deps),
  };
}
