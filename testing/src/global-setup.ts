// Runs once before the integration tests.
export default function setup(): void {}
