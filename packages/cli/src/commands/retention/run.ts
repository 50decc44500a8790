// `relay retention run`: enforces the limits now, and writes the files anew without what is gone.
import { patientClientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { runWords } from '../../retention/words.ts';

export const run: Run = async ({ config, terminal }) => {
  terminal.progress('Deleting what is too old …');
  const result = await patientClientOf(config.home).post('/api/retention/run');
  if (terminal.json) terminal.give(result);
  else terminal.say(`Enforced: ${runWords(result)}`);
  return 0;
};
