// Preloaded (`node --import`) into a process that must not outlive the one that started it: when its
// standard input ends, because the other end is gone, it is asked to stop as any owner would ask it.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume().unref();
