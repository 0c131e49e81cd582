import { replenishRetries } from './observe-calls.ts';

// Otherwise earlier files' faults leave the SDK's clients without retries.
await replenishRetries();
