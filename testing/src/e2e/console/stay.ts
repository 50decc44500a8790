// Keeps the scene of the pictures running on a daemon, to look at by hand or by script while working on a page. Prints
// its address; a built page put into `web` is served at once. Ends with Ctrl-C and leaves nothing behind.
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
