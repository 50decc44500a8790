// Where the daemon begins. Placeholder: the composition takes its place.
process.stderr.write('The daemon is not in this build yet.\n');
process.exitCode = 1;
