// `relay completion`: a script for the person's shell, made from the catalogue.

import type { Run } from '../command.ts';
import { completion, type Shell } from '../completion.ts';

export const run: Run = async ({ terminal, args, commands }) => {
  const shell = args[0] as Shell;
  const script = completion(shell, commands);
  if (terminal.json) terminal.give({ shell, script });
  else terminal.say(script.trimEnd());
  return 0;
};
