// `relay digest [group] [--day yesterday] [--hours]`: what was said in the groups that are observed.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { describe } from './describe.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const { day, hours } = options;
  const group = args.join(' ').trim();
  const query = {
    ...(group === '' ? {} : { group }),
    ...(typeof day === 'string' ? { day } : {}),
  };
  const answer = await clientOf(config.home).get('/api/digests', { query });
  if (terminal.json) terminal.give(answer);
  else {
    const columns = Math.min(terminal.size?.columns ?? 80, 100);
    const shown = { hours: hours === true, columns, colours: terminal.colours };
    const pages = answer.digests.map((each) => describe(each, shown));
    for (const line of pages.flatMap((page, at) => (at === 0 ? page : ['', ...page])))
      terminal.say(line);
  }
  return 0;
};
