// `relay config schema`: what may stand in relay.config.json, as editors understand it.
import type { Run } from '../../command.ts';

export const run: Run = async ({ terminal }) => {
  const { settingsJsonSchema } = await import('@relay/core/settings-listed');
  const schema = settingsJsonSchema();
  if (terminal.json) terminal.give(schema);
  else terminal.say(JSON.stringify(schema, null, 2));
  return 0;
};
