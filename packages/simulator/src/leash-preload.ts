// Preload (`node --import`) for a process that must not outlive its parent: when standard input ends, it sends itself
// the normal stop signal.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume().unref();
