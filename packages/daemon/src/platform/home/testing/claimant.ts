// A process that only tries to claim a home: `node claimant.ts <home>`. Prints `owned` or the code of the refusal, then
// waits to be killed or for `release` on its standard input.
import { claimHome } from '../claim.ts';

try {
  const claim = await claimHome(process.argv[2] ?? '');
  process.stdout.write(`owned ${claim.stalePid ?? '-'}\n`);
  process.stdin.once('data', async () => {
    await claim.release();
    process.exit(0);
  });
} catch (error) {
  const { code, message } = error as { code?: string; message?: string };
  process.stdout.write(`${code} ${message}\n`);
}
