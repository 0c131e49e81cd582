import { parameter } from './parameter.ts';
import { settings } from './settings.ts';

/**
 * The origin of the dashboard. An installation without a domain of its own learns it at run time: the edge makes the
 * address, and is made after the functions.
 * @throws Error if the edge has not written it yet
 */
export async function dashboardOrigin(): Promise<string> {
  const { DASHBOARD_ORIGIN: given, DASHBOARD_ORIGIN_PARAMETER: name } = settings();
  if (name === undefined) return given;
  const written = await parameter(name);
  if (written === undefined) throw new Error(`The parameter ${name} does not name the dashboard's origin.`);
  return written;
}
