// Stays: the scene of the pictures on a running daemon, to be looked at by hand or by a script while a page is made.
// Prints where it is; a built page put into `web` is served from then on. Ends with Ctrl C, and leaves nothing.
//   node testing/src/e2e/console/stay.ts [--unlinked]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtIn, openBuilds } from '../built.ts';
import { startDemo } from '../demo.ts';
import { addScenePeople, playScene } from './scene.ts';

const { values } = parseArgs({ options: { unlinked: { type: 'boolean', default: false } } });
const builds = openBuilds();
const built = await builtIn(builds.folder);
const demo = await startDemo({ built });
const ended = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
try {
  await addScenePeople(demo);
  if (!values.unlinked) await playScene(demo);
  const { url } = await demo.relay.ok<{ url: string }>('POST', '/api/login-codes');
  const at = { url, api: demo.api, home: demo.home, token: demo.token, web: join(built, 'web') };
  console.log(JSON.stringify(at, null, 2));
  await ended;
} finally {
  await demo.stop();
  builds.remove();
}
