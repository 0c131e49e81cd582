import { readFileSync } from 'node:fs';
import tls from 'node:tls';

const certificate = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED )?CERTIFICATE-----/g;

let files: readonly string[] = [];

/**
 * Trusts the certificate authorities of a file too, as OpenSSL and curl do with `SSL_CERT_FILE`. Node only reads
 * `NODE_EXTRA_CA_CERTS`, and only when it starts; its API for more authorities does not exist in Node 20. A file that
 * can't be read adds none.
 */
export function trustAlso(file: string): void {
  if (files.includes(file)) return;
  files = [...files, file];
  const authorities = authoritiesOf(file);
  const create = tls.createSecureContext;
  tls.createSecureContext = options => {
    const made = create(options);
    // A context with authorities of its own replaces the default ones.
    if (options?.ca === undefined) for (const authority of authorities) add(made, authority);
    return made;
  };
}

function authoritiesOf(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').match(certificate) ?? [];
  } catch {
    return [];
  }
}

function add(made: tls.SecureContext, authority: string): void {
  try {
    (made.context as { addCACert(pem: string): void }).addCACert(authority);
  } catch {
    // Damaged. The other certificates still count.
  }
}
