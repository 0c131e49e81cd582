import { replenishRetries, waitLongerForConnections } from './observe-calls.ts';

// Before each test file of a shared process. Without this, the faults that earlier files injected would leave the SDK's
// clients without retries, and one slow connection would fail a test.
waitLongerForConnections();
await replenishRetries();
