// Why a message that was handed to auto-reply or the assistant was answered, waits or was not answered.
import type { AnswerReason } from './answers.ts';

export const ANSWER_WORDS: Readonly<Record<AnswerReason, string>> = {
  replied: 'It was answered.',
  command: 'It was a command, and was carried out.',
  interrupted: 'The run was interrupted after it had acted; the answer says so.',
  failed: 'The answer says why it could not be done.',
  draft: 'The answer is a draft and needs your yes.',
  quiet_hours: 'It is quiet hours.',
  hold: 'Sending is on hold.',
  budget: 'The budget is used up for now.',
  try_again: 'The model could not be reached and is asked again.',
  read_only: 'The grant does not allow answering, so what was said stayed in the session.',
  nothing_said: 'The model had nothing to say.',
  refused: 'The gate refused the answer.',
  grant_gone: 'The grant was taken back before its turn came.',
  too_old: 'It arrived too long after it was written.',
  budget_used: 'The turns allowed for this contact are used up.',
  loop: 'Two machines seemed to answer each other.',
  model_failed: 'The model failed.',
  no_model: 'No model is set up.',
  conversation: 'A conversation with the contact has the say.',
  owner_wrote: 'You wrote yourself before the answer was ready.',
  overtaken: 'Later messages came first, and the answer to the last one is for all of them.',
  stopped: 'You stopped it.',
  nothing_to_answer: 'There is nothing in it that could be answered.',
};
