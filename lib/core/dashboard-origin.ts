import { parameter } from './parameter.ts';
import { settings } from './settings.ts';

/**
 * The dashboard's origin. Without a custom domain, CloudFront assigns it after the functions were created.
 * @throws Error if the deployment has not stored it yet
 */
export async function dashboardOrigin(): Promise<string> {
  const { DASHBOARD_ORIGIN: given, DASHBOARD_ORIGIN_PARAMETER: name } = settings();
  if (name === undefined) return given;
  const written = await parameter(name);
  if (written === undefined) throw new Error(`The parameter ${name} does not contain the dashboard's origin.`);
  return written;
}
