import { parameter } from './parameter.ts';
import { settings } from './settings.ts';

/**
 * The origin of the dashboard. Without a custom domain, it is only known at run time: CloudFront assigns the address,
 * and the distribution is created after the functions.
 * @throws Error if the deployment has not stored it yet
 */
export async function dashboardOrigin(): Promise<string> {
  const { DASHBOARD_ORIGIN: given, DASHBOARD_ORIGIN_PARAMETER: name } = settings();
  if (name === undefined) return given;
  const written = await parameter(name);
  if (written === undefined) throw new Error(`The parameter ${name} does not contain the dashboard's origin.`);
  return written;
}
