import { describe } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { runCases } from '../cases/run-cases.ts';
import { startDriver, whyWithoutPython } from './python.ts';

/** The table that both SDKs pass. */
describe.skipIf(whyWithoutPython() !== undefined)('the Python client', () => {
  runCases(shared(startDriver));
});
