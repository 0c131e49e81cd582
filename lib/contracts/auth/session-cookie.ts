/** Sessions and tokens are marked under the installation's credential key, which the first request creates. */
export const issuing = ['GenerateDataKey', 'Decrypt'] as const;

export const cookieHeader = {
  'Set-Cookie': 'The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address.',
};
