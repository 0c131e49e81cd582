import { shared } from '#test/support/fixtures.ts';
import { runCases } from '../cases/run-cases.ts';
import { describeWithPython, startDriver } from './python.ts';

/** The table that both SDKs pass. */
describeWithPython('the Python client', () => {
  runCases(shared(startDriver));
});
