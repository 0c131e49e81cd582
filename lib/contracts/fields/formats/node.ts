import { dotenv } from './dotenv.ts';
import type { Format } from './format.ts';

/** For Node's `util.parseEnv` and `--env-file`: like `dotenv`, but without the escape `\r`. */
export const node: Format = {
  ...dotenv,
  refuses: (key, value) => (value.includes('\r') ? 'contains a carriage return' : dotenv.refuses(key, value)),
};
