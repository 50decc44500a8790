// `relay open`: signs the owner in to the console, in their browser or by an address that works once.
import { clientOf } from '../api.ts';
import { openBrowser } from '../browser.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const { url } = await clientOf(config.home).post('/api/login-codes');
  const opened = !options.print && !terminal.json && (await openBrowser(config, config.home, url));
  if (terminal.json) terminal.give({ url, opened: false });
  else if (opened) terminal.say('The console opens in your browser.');
  else if (options.print) terminal.say(url);
  else {
    terminal.say('Open this address in your browser; it works once:');
    terminal.say(url);
  }
  return 0;
};
