import { endpoint } from '#lib/api/endpoint.ts';
import { getExposure as contract, subjects } from '#lib/contracts/audit/exposure.ts';
import { credentialExposure } from '#lib/exposure/credential-exposure.ts';
import { secretReaders } from '#lib/exposure/secret-readers.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => {
    const { environment, key, ...others } = query;
    if (environment !== undefined && key !== undefined) {
      return { body: await secretReaders(context, { ...others, environment, key }) };
    }
    const [subject] = Object.entries(subjects).flatMap(([parameter, type]) => {
      const id = query[parameter as keyof typeof subjects];
      return id === undefined ? [] : [{ type, id }];
    });
    if (subject === undefined) throw new Error('The contract lets no other query through.');
    return { body: await credentialExposure(context, { ...others, subject }) };
  },
});
