// Loaded before each test file: makes property tests use the same cases in every run.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 2026 });
