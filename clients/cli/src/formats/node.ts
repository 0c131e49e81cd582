import { dotenv } from './dotenv.ts';
import type { Format } from './format.ts';

/** `util.parseEnv` and `--env-file` of Node: like `dotenv`, but without the escape `\r`. */
export const node: Format = {
  ...dotenv,
  refuses: (key, value) => (value.includes('\r') ? 'holds a carriage return' : dotenv.refuses(key, value)),
};
