import { replenishRetries, waitLongerForConnections } from './observe-calls.ts';

// Otherwise earlier files' faults leave the SDK's clients without retries, and one slow connection fails a test.
waitLongerForConnections();
await replenishRetries();
